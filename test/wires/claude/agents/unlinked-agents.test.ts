import { expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import {
  completedRecord,
  type Message,
  modelLaunches,
  modelSays,
  readFiles,
  readOpenFiles,
  readStream,
  toolResult,
  userMessage,
} from '../messages.ts'

/** The file of an agent whose call nothing names. */
const file = (prompt: string, ...lines: readonly Message[]) => ({ lines: [userMessage(prompt), ...lines] })

const call = (id: string, prompt?: string) =>
  modelLaunches(`message of ${id}`, id, prompt === undefined ? {} : { prompt })

it('gives each agent the first call with its prompt that has no agent', () => {
  const { state, issues } = readFiles(
    [userMessage('Go.'), call('one', 'Look.'), call('two', 'Look.'), call('three', 'Write.')],
    { a: file('Look.'), b: file('Write.'), c: file('Look.'), d: file('Look.') },
  )
  expect(state.subagents.map(({ toolUseId, agentId }) => [toolUseId, agentId])).toEqual([
    ['one', 'a'],
    ['two', 'c'],
    ['three', 'b'],
    ['d', undefined],
  ])
  expect(issues).toContainEqual({ code: 'unfinished-subagent', count: 1, toolUseId: 'd' })
})

it('waits for the results of two open calls with one prompt, until one is left', () => {
  const two = { ...call('two', 'Look.'), timestamp: '2026-01-01T12:00:10.500Z' }
  const main = [userMessage('Go.'), call('one', 'Look.'), two]
  const files = { a: file('Look.', modelSays('m-a', 'I look.')) }
  expect(readOpenFiles(main, files).state.subagents.map(textsOf)).toEqual([[], []])
  const toolUseResult = completedRecord('b', 'Done.')
  const result = { ...toolResult('two', 'Done.', { toolUseResult }), timestamp: '2026-01-01T12:00:11.500Z' }
  const { state } = readOpenFiles([...main, result], files)
  expect(state.subagents).toMatchObject([
    { toolUseId: 'one', agentId: 'a' },
    { toolUseId: 'two', agentId: 'b' },
  ])
})

it('gives the session of an agent’s file alone the id that its lines state', () => {
  const lines = [userMessage('Look.'), modelSays('m-a', 'I look.')]
  const read = lines.map((line) => ({ ...line, isSidechain: true, agentId: 'a', sessionId: 'parent-uuid' }))
  const { state } = readStream(...read)
  expect(state.session.id).toBe('parent-uuid')
})

it('gives each of 1,000 agents its own call', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`)
  const { state } = readFiles(
    [userMessage('Go.'), ...ids.map((id) => call(`call ${id}`, `Prompt ${id}.`))],
    Object.fromEntries(ids.map((id) => [`agent-${id}`, file(`Prompt ${id}.`)])),
  )
  expect(state.subagents.map(({ agentId }) => agentId)).toEqual(ids.map((id) => `agent-${id}`))
})

import { expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import { agentCall, assistantMessage, type Message, readFiles, text, userMessage } from '../messages.ts'

/** The file of an agent whose call nothing names. */
const file = (prompt: string, ...lines: readonly Message[]) => ({ lines: [userMessage(prompt), ...lines] })

const call = (id: string, prompt?: string) =>
  assistantMessage(`message of ${id}`, agentCall(id, prompt === undefined ? {} : { prompt }))

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

it('finds the calls in the lines of agents that it places first', () => {
  const { state } = readFiles([userMessage('Go.'), call('one', 'Look.')], {
    a: file('Look.', assistantMessage('m-a', text('I ask.')), call('two', 'Write.')),
    b: file('Write.', assistantMessage('m-b', text('Written.'))),
  })
  expect(state.subagents).toMatchObject([
    { toolUseId: 'one', agentId: 'a', parentConversationId: 'main' },
    { toolUseId: 'two', agentId: 'b', parentConversationId: 'one' },
  ])
  expect(state.subagents.map(textsOf)).toEqual([['I ask.'], ['Written.']])
})

it('gives each of 1,000 agents its own call', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`)
  const { state } = readFiles(
    [userMessage('Go.'), ...ids.map((id) => call(`call ${id}`, `Prompt ${id}.`))],
    Object.fromEntries(ids.map((id) => [`agent-${id}`, file(`Prompt ${id}.`)])),
  )
  expect(state.subagents.map(({ agentId }) => agentId)).toEqual(ids.map((id) => `agent-${id}`))
})

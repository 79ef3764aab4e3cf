import { expect, it } from 'vitest'
import { compareSessions } from '../../../../src/entries/parity.ts'
import {
  assistantMessage,
  blockDelta,
  blockStart,
  finalAnswer,
  fromSubagent,
  init,
  type Message,
  messageStart,
  modelLaunches,
  modelSays,
  readFiles,
  readOpenFiles,
  readOpenStream,
  readStream,
  taskStarted,
  text,
  toolResult,
  toolUse,
  userMessage,
} from '../messages.ts'
import { call, canUseTool } from './messages.ts'

const ENDED = '[Tool call interrupted: the session ended before this tool call finished.]'
const toolCalls: Message = { stop_reason: 'tool_use' }

// The next process writes the result of the call to the file only. Parity reported the result as missing.
it('has the same state live and stored after a killed session goes on', () => {
  const live = readStream(init, call(), canUseTool('r1'), init, finalAnswer).state
  const added = toolResult('t1', ENDED, {}, { is_error: true })
  const stored = readFiles([userMessage('Go.'), call(), added, userMessage('Go on.'), finalAnswer]).state
  const { differences, excluded } = compareSessions(live, stored)
  expect(differences).toEqual([])
  expect(excluded).toContainEqual({ kind: 'unfinished', side: 'stored', count: 1 })
})

// The words of the program were taken for the agent's report.
it('has the same agent live and stored after a killed session goes on', () => {
  const spawn = modelLaunches('m0', 't0')
  const ofAgent = call('t1', fromSubagent('t0', 'a1'))
  const asked = canUseTool('r1', 't1', { agent_id: 'a1' })
  const live = readStream(init, spawn, taskStarted('a1', 't0'), ofAgent, asked, init, finalAnswer).state
  const added = toolResult('t0', ENDED, {}, { is_error: true })
  const main = [userMessage('Go.'), spawn, added, userMessage('Go on.'), finalAnswer]
  const meta = { agentType: 'general-purpose', description: 'Look', toolUseId: 't0', spawnDepth: 1 }
  const stored = readFiles(main, { a1: { meta, lines: [userMessage('Do t0.'), ofAgent] } }).state
  expect(compareSessions(live, stored).differences).toEqual([])
  expect(stored.subagents).toMatchObject([{ status: 'error' }])
  expect(stored.subagents[0]).not.toHaveProperty('output')
})

it('misses the result of a call that another error ended', () => {
  const live = readStream(init, call(), canUseTool('r1'), init, finalAnswer).state
  const added = toolResult('t1', 'Exit code 1', {}, { is_error: true })
  const stored = readFiles([userMessage('Go.'), call(), added, userMessage('Go on.'), finalAnswer]).state
  expect(compareSessions(live, stored).differences.map(({ kind, field }) => [kind, field])).toEqual([
    ['block', 'status'],
    ['missing-block', undefined],
  ])
})

// Files have a call only when its input is whole.
it('has the same state live and stored if the program was killed in the middle of an input', () => {
  const message = assistantMessage('m1', text('Now.'), {}, toolCalls)
  const live = readOpenStream(
    init,
    messageStart('m1', { input_tokens: 5, output_tokens: 1 }),
    modelSays('m1', 'Now.'),
    blockStart('m1', 1, toolUse('t1', 'Write', {})),
    blockDelta('m1', 1, { type: 'input_json_delta', partial_json: '{"file' }),
  ).state
  const stored = readOpenFiles([userMessage('Go.'), message]).state
  expect(compareSessions(live, stored).differences).toEqual([])
})

import { expect, it } from 'vitest'
import { parseTranscript } from '../../../src/wires/transcript.ts'

const lines = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n')
const session_id = 's1'
const system = { type: 'system', subtype: 'init', session_id, cwd: '/srv/demo', tools: [], model: 'm' }
const stream = (...values: readonly object[]) => parseTranscript('droid', lines(system, ...values))
const toolCall = (messageId: string, id: string) => ({
  ...{ type: 'tool_call', id, messageId, toolName: 'LS', parameters: {}, session_id, timestamp: 1 },
})
const toolResult = (id: string, value: string) => ({
  ...{ type: 'tool_result', id, isError: false, value, session_id, timestamp: 2 },
})

it('shows a failure before the first turn', () => {
  const { turn, blocks } = stream({ type: 'error', session_id, message: 'No key.', timestamp: 1 })
  expect(turn).toMatchObject({ status: 'failed', error: 'No key.' })
  expect(blocks).toMatchObject([{ type: 'error', message: 'No key.' }])
})

it.each([
  ['completed', 'finished', 2],
  ['cancelled', 'interrupted', 3],
  ['error', 'failed', 3],
])('ends a turn behind an answer as the program says: %s', (reason, status, count) => {
  const message = (id: string, role: string, text: string) => ({
    ...{ type: 'message', id, timestamp: '2026-01-01T00:00:00.000Z' },
    message: { role, content: [{ type: 'text', text }] },
  })
  const start = { type: 'session_start', id: 's1', title: 'Go', owner: 'p', version: 2, cwd: '/srv/demo' }
  const outcome = { type: 'agent_turn_outcome', turnId: 't1', reason }
  const { turn, blocks } = parseTranscript(
    'droid',
    lines(start, message('m1', 'user', 'Go.'), message('m2', 'assistant', 'Well.'), outcome, outcome),
  )
  expect(turn.status).toBe(status)
  expect(blocks).toHaveLength(count)
})

it('shows the calls of a model that numbers those of each reply anew, and none twice', () => {
  const all = [toolCall('m1', 'call_0'), toolResult('call_0', 'a'), toolCall('m2', 'call_0')]
  const { blocks } = stream(...all, toolCall('m2', 'call_0'), toolResult('call_0', 'b'))
  expect(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.toolUseId] : []))).toEqual([
    'call_0',
    'call_0@m2',
  ])
  expect(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.output] : []))).toEqual(['a', 'b'])
})

it('shows an answer that has the words of the thinking before it', () => {
  const common = { id: 'm1', text: 'OK.', session_id, timestamp: 1 }
  const thought = { type: 'reasoning', ...common }
  const answer = { type: 'message', role: 'assistant', ...common }
  const { blocks } = stream(thought, answer, answer)
  expect(blocks.map(({ type }) => type)).toEqual(['thinking', 'assistant_text'])
})

it('shows no stopped turn of Aider, whose program is interrupted while it waits', () => {
  const chat = '# aider chat started at 2026-11-25 10:46:40\n'
  const { turn } = parseTranscript('aider', `${chat}\n\n> ^C again to exit  \n> ^C KeyboardInterrupt  \n`)
  expect(turn.status).toBe('idle')
})

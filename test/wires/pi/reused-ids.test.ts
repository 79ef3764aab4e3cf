import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { checkJoin, checkSource } from '../../../src/entries/testing.ts'
import { piSource } from '../../../src/wires/pi/source.ts'
import { calls, entry, live, read, result, says, timeAt, user } from './made-lines.ts'

// Some servers of models count the calls of each reply anew. Pi 1.6.0 keeps their ids.
const output = (second: number, text: string, isError = false) =>
  result(second, 'call_0', 'bash', { content: [{ type: 'text', text }], isError })
const messages = [
  user(1, 'Go.'),
  calls(2, 'call_0', 'bash', { command: 'one' }),
  output(3, '1'),
  calls(4, 'call_0', 'bash', { command: 'two' }),
  output(5, '2', true),
  says(6, 'One of them failed.'),
]
const stored = messages.map((message, at) => entry(`e${at}`, at === 0 ? null : `e${at - 1}`, { message }))

const execution = (command: string, text: string, isError: boolean) => {
  const call = { toolCallId: 'call_0', toolName: 'bash' }
  return [
    { type: 'tool_execution_start', ...call, args: { command } },
    { type: 'tool_execution_end', ...call, isError, result: { content: [{ type: 'text', text }] } },
  ]
}
const stream = [
  ...messages.slice(0, 2).flatMap(live),
  ...execution('one', '1', false),
  ...messages.slice(2, 4).flatMap(live),
  ...execution('two', '2', true),
  ...messages.slice(4).flatMap(live),
  { type: 'agent_settled', aborted: false },
]

const second = `call_0@${timeAt(4)}`
const shown = ({ blocks }: SessionConversationState) =>
  blocks.flatMap((block) =>
    block.type === 'tool_use'
      ? [[block.id, block.status, block.input]]
      : block.type === 'tool_result'
        ? [[block.id, block.isError, block.output]]
        : [],
  )
const WHOLE = [
  ['call_0', 'complete', { command: 'one' }],
  ['call_0:result', false, '1'],
  [second, 'error', { command: 'two' }],
  [`${second}:result`, true, '2'],
]

describe.each([
  ['a stream', stream],
  ['a file', stored],
])('the calls of %s whose ids the model uses again', (_, lines) => {
  it('are calls of their own', () => {
    expect(shown(read(lines).state)).toEqual(WHOLE)
    checkSource(piSource, lines)
  })

  it('are the same from any state, and if lines come again', () => {
    for (const cut of lines.keys()) {
      const { session } = piSource.read(piSource.open(), lines.slice(0, cut))
      for (const from of [session, piSource.open(session.state)])
        for (const at of [cut, Math.max(0, cut - 5), 0])
          expect([cut, at, shown(piSource.read(from, lines.slice(at)).session.state)]).toEqual([
            cut,
            at,
            WHOLE,
          ])
    }
  })
})

it('joins the stream to the file', () => {
  checkJoin(piSource, { history: stored, live: stream, cuts: [...stream.keys()] })
})

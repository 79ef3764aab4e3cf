import { describe, expect, it } from 'vitest'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import {
  agentCall,
  assistantMessage,
  blockDelta,
  blockStart,
  blockStop,
  init,
  interruptionMessage,
  type Message,
  messageDelta,
  messageStart,
  messageStop,
  modelSays,
  readOpenStream,
  readStream,
  text,
  textDelta,
  thinking,
  toolUse,
  turnResult,
  userMessage,
} from '../messages.ts'

/** Streams up to 2.1.197 do not name the message of an event. */
const old = (messages: readonly Message[]): readonly Message[] =>
  messages.map(({ api_message_id, ...message }) => message)

const replayed = (content: string, uuid = 'u1') => userMessage([text(content)], { uuid, isReplay: true })
const begun = (id: string, ...deltas: readonly string[]): readonly Message[] => [
  messageStart(id),
  blockStart(id, 0, text('')),
  ...deltas.map((delta) => textDelta(id, 0, delta)),
]
const ended = (id: string, content: string): readonly Message[] => [
  modelSays(id, content),
  blockStop(id, 0),
  messageDelta(id, 'end_turn', { output_tokens: 3 }),
  messageStop(id),
]

const idsOf = ({ state }: ReturnType<typeof readOpenStream>) => state.blocks.map(({ id }) => id)

// Up to 2.1.197, `--replay-user-messages` repeats the prompt just before the answer's first whole block.
describe('a prompt that the stream repeats after the first deltas of its answer', () => {
  const stream = old([init, ...begun('m1', 'Hel', 'lo'), replayed('Hi.'), ...ended('m1', 'Hello.')])

  it.each<[string, Message, readonly Message[]]>([
    [
      'thinking',
      thinking('Hm'),
      [blockStart('m1', 0, thinking('')), blockDelta('m1', 0, { type: 'thinking_delta', thinking: 'Hm' })],
    ],
    ['a call', toolUse('t1'), [blockStart('m1', 0, toolUse('t1', 'Bash', {}))]],
    ['an agent', agentCall('t1'), [blockStart('m1', 0, agentCall('t1'))]],
  ])('stands above %s', (_, part, started) => {
    const messages = old([init, messageStart('m1'), ...started, replayed('Hi.')])
    const { state, reducerIssues } = readOpenStream(...messages, ...old([assistantMessage('m1', part)]))
    expect(state.blocks.map(({ type }) => type)[0]).toBe('user_message')
    expect(state.blocks).toHaveLength(2)
    expect(reducerIssues).toEqual([])
    const [, answer] = readOpenStream(...messages).state.blocks
    expect(answer).toMatchObject({ status: 'pending', ...(part.type === 'thinking' && { content: 'Hm' }) })
  })

  it('stands above the answer in every turn', () => {
    const second = [init, ...begun('m2', 'Tw'), replayed('More.', 'u2'), ...ended('m2', 'Two.')]
    const read = readStream(...stream, turnResult(), ...old(second), turnResult())
    expect(idsOf(read)).toEqual(['u1', 'm1:0', 'u2', 'm2:0'])
  })

  it('stands above an answer that a person stopped', () => {
    const read = readOpenStream(...stream.slice(0, 6), interruptionMessage)
    expect(read.state.blocks.map(({ type }) => type)).toEqual(['user_message', 'assistant_text', 'system'])
  })
})

describe('a prompt that the person sends while the model works', () => {
  it('stays below the text that was there before it', () => {
    const first = [init, replayed('Hi.'), ...begun('m1', 'Hel')]
    const read = readOpenStream(...old([...first, replayed('Wait.', 'u2'), textDelta('m1', 0, 'lo')]))
    expect(idsOf(read)).toEqual(['u1', 'm1:0', 'u2'])
    const between = [...begun('m1', 'He'), modelSays('m1', 'Hey'), replayed('Wait.', 'u2')]
    expect(idsOf(readOpenStream(...old([init, ...between])))).toEqual(['m1:0', 'u2'])
  })

  // From 2.1.330 on, the prompt of a turn comes before the events of its answer.
  it('stays below the text of an answer whose events name it', () => {
    expect(idsOf(readOpenStream(init, ...begun('m1', 'He'), replayed('Wait.', 'u2')))).toEqual(['m1:0', 'u2'])
  })

  // The text of a killed program stood below the prompt that its next process got.
  it('stays below the text that an earlier process left', () => {
    const killed = [
      replayed('Hi.'),
      init,
      ...begun('m1', 'One.'),
      ...ended('m1', 'One.'),
      ...begun('m2', 'Tw'),
    ]
    for (const next of [
      [replayed('More.', 'u2'), init],
      [{ ...init, uuid: 'second' }, replayed('More.', 'u2')],
    ]) {
      const { state } = claudeSource.open(readStream(...killed).state)
      const read = claudeSource.read(claudeSource.open(state), [...next, ...ended('m3', 'Three.')]).session
      expect(read.state.blocks.map(({ id }) => id)).toEqual(['u1', 'm1:0', 'm2:0', 'u2', 'm3:0'])
    }
  })
})

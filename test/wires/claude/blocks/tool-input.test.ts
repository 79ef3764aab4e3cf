import { describe, expect, it } from 'vitest'
import { isObject } from '../../../../src/core/json/values.ts'
import { type BlockOf, partialInput, type SessionConversationState } from '../../../../src/entries/index.ts'
import type { Session } from '../../../../src/reading/source.ts'
import { claudeSource } from '../../../../src/wires/claude/source.ts'
import { earlierRecordings, messagesIn, ofType, recordings, replay } from '../../recordings.ts'
import { reloaded } from '../../saved.ts'
import {
  agentCall,
  blockDelta,
  blockStart,
  init,
  interruptionMessage,
  type Message,
  messageDelta,
  messageStart,
  messageStop,
  modelSays,
  readOpenStream,
  text,
  toolUse,
  turnResult,
  userMessage,
  withUuids,
} from '../messages.ts'

const START = claudeSource.open()

function read(messages: readonly unknown[], session: Session = START): Session {
  return claudeSource.read(session, messages).session
}

const inputDelta = (at: number, partial_json: string): Message =>
  blockDelta('m1', at, { type: 'input_json_delta', partial_json })
const begun = (...parts: readonly string[]): readonly Message[] => [
  messageStart('m1'),
  blockStart('m1', 0, toolUse('t1', 'Write', {})),
  ...parts.map((part) => inputDelta(0, part)),
]
const callsOf = (state: SessionConversationState) => ofType(state, 'tool_use')
const pendingCalls = (state: SessionConversationState): readonly BlockOf<'tool_use'>[] =>
  callsOf(state).filter(({ inputText }) => inputText !== undefined)

/** Whether the value is what a reader has of the whole one after a part of its JSON. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part)
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item, at) => isBeginning(item, whole[at]))
  if (isObject(part))
    return isObject(whole) && Object.entries(part).every(([name, item]) => isBeginning(item, whole[name]))
  return part === whole
}

const streamed = [...recordings, ...earlierRecordings].filter(({ stream }) =>
  stream.includes('input_json_delta'),
)
const partial = earlierRecordings.find(({ name }) => name.startsWith('12-partial-input'))
const lines = messagesIn(partial?.stream ?? '')

describe('the input of a call that streams', () => {
  it('is found in recordings', () => {
    expect(streamed.length).toBeGreaterThan(10)
    expect(lines.length).toBeGreaterThan(400)
  })

  it.each(streamed)('is at every message a beginning of the whole input: $name', ({ stream }) => {
    const whole = new Map(callsOf(replay(stream).state).map(({ toolUseId, input }) => [toolUseId, input]))
    let reading = START
    for (const message of messagesIn(stream)) {
      reading = read([message], reading)
      for (const call of pendingCalls(reading.state)) {
        const part = partialInput(call)
        if (part !== undefined && whole.has(call.toolUseId))
          expect(isBeginning(part, whole.get(call.toolUseId)), call.inputText).toBe(true)
      }
    }
    expect(pendingCalls(reading.state)).toEqual([])
  })

  it('shows nothing before the first part, and the parts as they come', () => {
    const { state } = read(withUuids(begun('', '{"file_path": "/a", "con', 'tent": "li')))
    const [call] = callsOf(state)
    expect(call && partialInput(call)).toEqual({ file_path: '/a', content: 'li' })
    const [started] = callsOf(read(withUuids(begun(''))).state)
    expect(started).toMatchObject({ inputText: '' })
    expect(started && partialInput(started)).toBeUndefined()
  })

  it('is not taken for the prompt of an agent', () => {
    const stream = [messageStart('m1'), blockStart('m1', 0, agentCall('t1')), inputDelta(0, '{"prompt": "Do')]
    const { state, reducerIssues } = readOpenStream(...stream)
    expect(state.blocks).toMatchObject([{ type: 'subagent', status: 'pending', input: '' }])
    expect(reducerIssues).toEqual([])
  })

  it('takes no text, and a text takes no input', () => {
    const { state } = readOpenStream(
      ...begun('{"a'),
      blockDelta('m1', 0, { type: 'text_delta', text: 'no' }),
      blockStart('m1', 1, text('')),
      inputDelta(1, '{"b'),
      inputDelta(7, '{"c'),
    )
    expect(state.blocks).toMatchObject([{ inputText: '{"a' }, { content: '' }])
  })

  it('is taken back with a call that the program abandons', () => {
    const stopped = [...begun('{"file'), messageStop('m1', 0)]
    const dropped = [...begun('{"file'), modelSays('m2', 'Again.')]
    const interrupted = [...begun('{"file'), interruptionMessage, turnResult({ is_error: true })]
    for (const stream of [stopped, dropped, interrupted])
      expect(callsOf(readOpenStream(...stream).state), JSON.stringify(stream)).toEqual([])
  })

  // The reader did not take these messages for the stream, so the half call stayed for ever.
  it('is taken back if the reader joined in the middle of the message, or knows the next one', () => {
    const stream = withUuids([
      ...[messageStart('m1'), blockStart('m1', 0, text('')), modelSays('m1', 'Hm.')],
      ...[blockStart('m1', 1, toolUse('t1', 'Write', {})), inputDelta(1, '{"file')],
      ...[messageStart('m2'), modelSays('m2', 'Again.')],
      ...[messageDelta('m2', 'end_turn'), messageStop('m2'), turnResult()],
    ])
    const history = [stream[2], stream[6]].map((line) => ({ ...line, sessionId: 'session' }))
    expect(callsOf(read(stream, read(history)).state)).toEqual([])
    for (const cut of stream.keys()) {
      const { state } = read(stream.slice(0, cut))
      const resumed = claudeSource.open(state)
      expect(callsOf(read(stream.slice(cut), resumed).state), `at ${cut}`).toEqual([])
    }
  })

  it('comes and goes again if a reconnect repeats earlier messages', () => {
    const half = begun('{"file_path": "/a", ', '"con').map((message, at) => ({ uuid: `b${at}`, ...message }))
    const [earlier, next] = [[messageStart('m0')], [messageStart('m2')]]
    const again = read(half, read(earlier, read(half, read(earlier))))
    expect(callsOf(again.state)).toMatchObject([{ inputText: '{"file_path": "/a", "con' }])
    expect(callsOf(read(next, read(half, read(next, again))).state)).toEqual([])
  })

  it('stays below a prompt that the stream repeats late', () => {
    const old = [init, ...begun('{"a": "b')].map(({ api_message_id, ...message }) => message)
    const { state } = readOpenStream(...old, userMessage([text('Go.')], { uuid: 'u1', isReplay: true }))
    expect(state.blocks).toMatchObject([{ id: 'u1' }, { id: 't1', inputText: '{"a": "b' }])
  })
})

describe('a repeated stream of an input', () => {
  const final = read(lines).state
  const cuts = Array.from({ length: 24 }, (_, at) => Math.floor((lines.length * (at + 0.5)) / 24))

  it('adds nothing if a reconnect repeats the last messages', () => {
    for (const cut of cuts) {
      const reading = read(lines.slice(0, cut))
      const again = read(lines.slice(Math.max(0, cut - 25), cut), reading)
      expect(again.state, `at ${cut}`).toEqual(reading.state)
      expect(read(lines.slice(cut), again).state).toEqual(final)
    }
  })

  it('adds nothing if two streams overlap', () => {
    expect(read(lines.flatMap((line) => [line, line])).state).toEqual(final)
    for (const cut of cuts) {
      const { state } = read(lines.slice(0, cut))
      expect(read(lines.slice(0, cut).flatMap((line) => [line, line])).state, `at ${cut}`).toEqual(state)
    }
  })

  it('goes on from a saved session', () => {
    for (const cut of cuts) {
      const loaded = reloaded(claudeSource, read(lines.slice(0, cut)))
      expect(read(lines.slice(cut), loaded).state, `at ${cut}`).toEqual(final)
    }
  })

  it('goes on from a state alone, and skips the parts that the state has', () => {
    for (const cut of cuts) {
      const { state } = read(lines.slice(0, cut))
      const resumed = claudeSource.open(state)
      expect(callsOf(read(lines.slice(cut), resumed).state), `at ${cut}`).toEqual(callsOf(final))
      const again = read(lines.slice(0, cut), resumed)
      expect(callsOf(again.state), `again at ${cut}`).toEqual(callsOf(state))
      expect(callsOf(read(lines.slice(cut), again).state)).toEqual(callsOf(final))
    }
  })

  // The place of a call in its message is not in the state.
  it('finds the call by its id if the state does not know the index', () => {
    const start = [messageStart('m1'), blockStart('m1', 3, toolUse('t1', 'Write', {}))]
    const { state } = read(withUuids([...start, inputDelta(3, '{"a'), inputDelta(3, '": "b')]))
    const resumed = claudeSource.open(state)
    const again = withUuids([...start, inputDelta(3, '{"a": "'), inputDelta(3, 'b c')])
    expect(callsOf(read(again, resumed).state)).toMatchObject([{ inputText: '{"a": "b c' }])
  })
})

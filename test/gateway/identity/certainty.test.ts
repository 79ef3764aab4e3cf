import { describe, expect, it } from 'vitest'
import { canonicalize } from '../../../src/core/identity/canonical.ts'
import { computeToolSetHash, hashFirstAssistantResponse } from '../../../src/core/identity/hashes.ts'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { identifyConversation } from '../../../src/gateway/identify-session.ts'
import { parseConversationSpec, parseStoredTurns } from '../../../src/recorded-turns/spec.ts'
import { fold, spawn, upsert, usage } from '../../core/reducer/example.ts'
import { recordings, replay } from '../../wires/recordings.ts'

const identify = (...events: readonly SessionEvent[]) =>
  identifyConversation(fold(...events), { agentTypeHash: 't' })
const user = upsert({ id: 'u', type: 'user_message', status: 'complete', content: 'Go.' })
const reply = (id: string, content: string, messageId?: string) =>
  upsert({
    id,
    type: 'assistant_text',
    status: 'complete',
    content,
    ...(messageId !== undefined && { messageId }),
  })

describe('a conversation’s identity', () => {
  const thought = upsert({ id: 'm1:0', type: 'thinking', status: 'complete', content: 'hm', messageId: 'm1' })
  it('is unknown after thinking alone', () => expect(identify(user, thought, usage('m1', 5))).toBeNull())
  it('is never wrong while a file grows', () => {
    const [file = ''] = recordings
      .filter(({ name }) => name === '02-thinking')
      .map(({ files, sessionPath }) => files[sessionPath] ?? '')
    const lines = file.split('\n')
    const of = (n: number) =>
      identifyConversation(replay(`${lines.slice(0, n).join('\n')}\n`).state, { agentTypeHash: 't' })
        ?.conversationHash
    for (let n = 1; n < lines.length; n += 1) expect([undefined, of(lines.length)]).toContain(of(n))
  })
  it('an empty first message is the first response', () => {
    expect(identify(user, usage('m1', 0))?.firstAssistantResponseHash).toBe(hashFirstAssistantResponse(''))
  })
  it('an empty message before others may have been withdrawn, so nothing is certain', () => {
    expect(identify(user, usage('m1', 0), reply('m2:0', 'Two.', 'm2'))).toBeNull()
  })
  it('a text without a message id may belong to the first message', () => {
    expect(identify(reply('a', 'One.'), user, reply('m2:0', 'Two.', 'm2'))).toBeNull()
    expect(identify(user, reply('a', 'One.'), reply('m2:0', 'Two.', 'm2'))).toBeNull()
    expect(identify(user, spawn('S'), reply('m2:0', 'Two.', 'm2'))).toBeNull()
  })
})
describe('a conversation in a request or in storage', () => {
  const bytes = (byte: number) =>
    Buffer.concat([Buffer.from('[{"role":"user","text":"'), Uint8Array.of(byte), Buffer.from('"}]')])
  it('bytes that are not UTF-8 are an issue', () => expect(parseStoredTurns(bytes(0xff)).ok).toBe(false))
  it('half a surrogate pair is an issue', () => {
    expect(parseStoredTurns('[{"role":"user","text":"\\ud800"}]').ok).toBe(false)
    expect(parseConversationSpec('{"name":"a","turns":[{"role":"user","text":"\\ud800"}]}').ok).toBe(false)
  })
})
describe('a value that is more than data', () => {
  it.each([
    ['a list with toJSON', Object.assign([1], { toJSON: () => 5 })],
    ['a list with a field that looks like an index', Object.assign([1, 2], { '01': 5 })],
    ['a list with a field before all indices', Object.assign([1], { '-1': 5 })],
    ['a list with a field between its indices', Object.assign([1, 2], { 0.5: 5 })],
    ['a list with a field beyond all indices', Object.assign([1], { 4294967295: 5 })],
    ['a list whose toJSON gives nothing', Object.assign([1], { toJSON: () => undefined })],
    ['a list with entries of its own', Object.assign([Number.NaN], { entries: () => [].values() })],
    ['a list with a key', Object.assign([1], { a: 1 })],
    ['a list with a symbol', Object.assign([1], { [Symbol('s')]: 1 })],
    ['a subclass of Array', new (class List extends Array {})()],
    ['fields that are inherited', Object.create(Object.assign(Object.create(null), { a: 1 }))],
  ])('%s is refused', (_, value) =>
    expect(() => canonicalize(value)).toThrow(expect.objectContaining({ code: 'not-plain' })),
  )
  it('is written as its data: a hidden toJSON does not count, and a getter runs once', () => {
    expect(canonicalize(Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'x' }))).toBe('{"a":1}')
    let asked = 0
    const value = {
      get a() {
        asked += 1
        return asked === 1 ? 1 : Number.NaN
      },
    }
    expect(canonicalize(value)).toBe('{"a":1}')
  })
})
it('an empty tool name is refused', () =>
  expect(() => computeToolSetHash([{ name: '' }])).toThrow(RangeError))

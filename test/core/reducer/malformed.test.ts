import { describe, expect, it } from 'vitest'
import {
  foldSessionEvents,
  parseSessionEvent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionEvent,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import { delta, fold, fromWire, spawn, text, upsert } from './example.ts'

const state = fold(spawn('T'), upsert(text('a'), 'T'), upsert(text('a')))

describe.each<[string, unknown]>([
  ['nothing', null],
  ['a number', 1],
  ['a text', 'block:delta'],
  ['a list', [delta('a', 'x')]],
  ['an object without a type', {}],
  ['an unknown type', { type: 'block:moved', blockId: 'a' }],
  ['a type that is a key of every object', { type: 'constructor' }],
  ['a type that is a key of every object, too', { type: '__proto__' }],
  ['a type that is no text', { type: ['session:idle'] }],
  ['an upsert without a block', { type: 'block:upsert' }],
  [
    'a block of an unknown type',
    { type: 'block:upsert', block: { id: 'a', type: 'poem', status: 'complete' } },
  ],
  ['a block without an id', { type: 'block:upsert', block: { ...text('a'), id: 1 } }],
  ['a block with an unknown status', { type: 'block:upsert', block: { ...text('a'), status: 'running' } }],
  ['a delta that is no text', { type: 'block:delta', blockId: 'a', delta: 1 }],
  ['a delta without a block id', { type: 'block:delta', delta: 'x' }],
  ['a conversationId that is no text', { type: 'block:delta', conversationId: 1, blockId: 'a', delta: 'x' }],
  ['a time that is no text', { type: 'block:delta', timestamp: 1, blockId: 'a', delta: 'x' }],
  ['an empty type', { type: '', blockId: 'a', delta: 'x' }],
  ['a spawn without a prompt', { type: 'subagent:spawned', toolUseId: 'U' }],
  ['a completion with an unknown status', { type: 'subagent:completed', toolUseId: 'T', status: 'success' }],
  ['usage that does not say whether it is final', { type: 'usage:reported', messageId: 'm', usage: {} }],
  [
    'usage with the names of an API',
    { type: 'usage:reported', messageId: 'm', usage: { input_tokens: 7 }, final: true },
  ],
])('%s', (_, value) => {
  const event = fromWire(value)

  it('changes nothing and does not throw', () => {
    expect(reduceSessionEvent(state, event)).toBe(state)
    expect(reduceSessionEvents(state, [event])).toBe(state)
  })

  it('is refused, with the place and the right value if its type is known', () => {
    const parsed = parseSessionEvent(event)
    const { code, path, expected } = (!parsed.ok && parsed.issues[0]) || {}
    const hasType = path?.length !== 0 && !(code === 'unknown-type' && path?.length === 1)
    const refusal = hasType ? { code: 'malformed-event', path, expected } : { code: 'unknown-event' }
    expect(stepSessionEvent(state, event)).toMatchObject({ state, issue: refusal })
  })

  it('does not affect the other events of its batch', () => {
    const batch = [event, delta('a', 'x'), event, delta('a', 'y', 'T'), event]
    expect(foldSessionEvents(state, batch).issues).toHaveLength(3)
    expect(reduceSessionEvents(state, batch)).toEqual(
      reduceSessionEvents(state, [delta('a', 'x'), delta('a', 'y', 'T')]),
    )
  })
})

it('undefined changes nothing and does not throw', () => {
  const nothing = undefined as unknown as SessionEvent
  expect(reduceSessionEvent(state, nothing)).toBe(state)
  expect(stepSessionEvent(state, nothing).issue).toEqual({ code: 'unknown-event' })
})

it('a value that throws when it is read changes nothing', () => {
  const value = new Proxy(fromWire({}), {
    get: () => {
      throw new Error('the value was read')
    },
  })
  expect(stepSessionEvent(state, value)).toEqual({ state, issue: { code: 'unknown-event' } })
})

describe('the issue of an unknown event', () => {
  it.each([
    [{ type: 'block:moved' }, { code: 'unknown-event', eventType: 'block:moved' }],
    [{ type: 1 }, { code: 'unknown-event' }],
    [null, { code: 'unknown-event' }],
  ])('names its type if it has one: %j', (value, issue) => {
    expect(stepSessionEvent(state, fromWire(value)).issue).toEqual(issue)
  })
})

it('a key named __proto__ is data and reaches no prototype', () => {
  const wire = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
  const block = `{"id":"a","type":"tool_use","status":"complete","toolName":"t","toolUseId":"u","input":${wire},"__proto__":{"polluted":true}}`
  const events: SessionEvent[] = [
    JSON.parse(`{"type":"block:upsert","block":${block}}`),
    JSON.parse(`{"type":"session:updated","facts":${wire}}`),
    JSON.parse(`{"type":"usage:reported","messageId":"m","final":true,"usage":${wire}}`),
  ]
  const after = reduceSessionEvents(fold(), [...events, ...events])
  for (const part of [{}, after, after.session, ...after.blocks, ...after.usage])
    expect(part).not.toHaveProperty('polluted')
  expect(Object.getPrototypeOf(after.blocks[0])).toBe(Object.prototype)
  expect(Object.getPrototypeOf(after.session)).toBe(Object.prototype)
})

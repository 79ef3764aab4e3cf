import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applySingleDelta } from '../../../../src/core/reducer/single-delta.ts'
import {
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
  stepSessionEvent,
} from '../../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../../src/entries/source-kit.ts'
import { delta, fold, fromWire, spawn, subagentBlock, toolUse, upsert } from '../example.ts'

const optional = { timestamp: 't', messageId: 'm', model: 'x', redacted: true, ownField: { a: 1 } }

// A single delta has a batch of its own, which must not change the result.
it('gives the state of a batch, for any fields of the block', () => {
  const fields = fc.subarray(Object.entries(optional)).map((entries) => Object.fromEntries(entries))
  const type = fc.constantFrom('assistant_text', 'thinking', 'user_message')
  const status = fc.constantFrom('pending', 'complete')
  const place = fc.constantFrom('main', 'S')
  fc.assert(
    fc.property(fields, type, status, place, (more, kind, state, conversationId) => {
      const block = { id: 'a', type: kind, status: state, content: 'x', ...more } as IncomingBlock
      const before = fold(
        spawn('S'),
        upsert(block, conversationId),
        upsert({ ...block, id: 'b' }, conversationId),
      )
      const event = delta('a', 'y', conversationId)
      const alone = reduceSessionEvent(before, event)
      // Two events are a batch, and an empty delta is none.
      expect(alone).toStrictEqual(reduceSessionEvents(before, [event, delta('a', '', conversationId)]))
      expect(stepSessionEvent(before, event).state).toStrictEqual(alone)
      expect(Object.isFrozen(alone)).toBe(true)
    }),
  )
})

describe('the batch of a single delta', () => {
  const pending = (id: string, type: 'assistant_text' | 'thinking' = 'assistant_text') =>
    ({ id, type, status: 'pending', content: '' }) as const
  const many = (conversationId: string) =>
    Array.from({ length: 15 }, (_, at) => upsert(pending(`${at}`), conversationId))

  it.each<[string, readonly SessionEvent[], SessionEvent]>([
    ['in main', [upsert(pending('a'))], delta('a', 'y')],
    ['without a conversationId', [upsert(pending('a'))], { type: 'block:delta', blockId: 'a', delta: 'y' }],
    [
      'with a time',
      [upsert(pending('a'))],
      { type: 'block:delta', blockId: 'a', delta: 'y', timestamp: 't' },
    ],
    ['in a subagent', [spawn('S'), upsert(pending('a'), 'S')], delta('a', 'y', 'S')],
    [
      'in one of several subagents',
      [spawn('S'), spawn('T'), upsert(pending('a'), 'S')],
      delta('a', 'y', 'S'),
    ],
    ['of a tool’s input', [upsert(toolUse('a', { inputText: '{' }))], delta('a', '}')],
    ['of an agent’s input', [subagentBlock('T', { inputText: '{' })], delta('subagent:T', '}')],
    ['of thinking', [upsert(pending('a', 'thinking'))], delta('a', 'y')],
    ['of the sixteenth block from the end', [upsert(pending('a')), ...many('main')], delta('a', 'y')],
    [
      'of the second block',
      [upsert(pending('b')), upsert(pending('a')), ...many('main').slice(1)],
      delta('a', 'y'),
    ],
  ])('applies a delta %s', (_, events, event) => {
    const before = fold(...events)
    expect(applySingleDelta(before, event)).toStrictEqual(reduceSessionEvents(before, [event]))
  })

  it.each<[string, readonly SessionEvent[], SessionEvent]>([
    [
      'of a block further from the end',
      [upsert(pending('a')), ...many('main'), upsert(pending('b'))],
      delta('a', 'y'),
    ],
    ['of an unknown block', [upsert(pending('a')), upsert(pending('b'))], delta('c', 'y')],
    ['of an unknown subagent', [spawn('S'), spawn('T')], delta('a', 'y', 'U')],
    ['of a final block', [upsert({ ...pending('a'), status: 'complete' })], delta('a', 'y')],
    ['without text', [upsert(pending('a'))], delta('a', '')],
  ])('leaves a delta to the general batch: %s', (_, events, event) => {
    expect(applySingleDelta(fold(...events), event)).toBeUndefined()
  })
})

it('changes the block, its list and its conversation, and shares all else', () => {
  const text = { id: 'a', type: 'thinking', status: 'pending', content: '' } as const
  const before = fold(spawn('S'), spawn('T'), upsert(text, 'S'), upsert({ ...text, id: 'b' }, 'S'))
  const after = reduceSessionEvent(before, delta('b', 'y', 'S'))
  expect(after.blocks).toBe(before.blocks)
  expect(after.subagents[1]).toBe(before.subagents[1])
  expect(after.subagents[0]?.usage).toBe(before.subagents[0]?.usage)
  expect(after.subagents[0]?.blocks[0]).toBe(before.subagents[0]?.blocks[0])
  expect([after, after.subagents[0], after.subagents[0]?.blocks[1]].every(Object.isFrozen)).toBe(true)
})

// V8 gives states with one order of fields few hidden classes.
it('gives the fields of a state one order', () => {
  const block = { id: 'a', type: 'thinking', status: 'pending', content: '' } as const
  const { blocks, usage, turn, subagents, session } = fold(upsert(block))
  const fields = { session, subagents, turn, usage, blocks }
  const order = ['blocks', 'usage', 'turn', 'subagents', 'session']
  const keysAfter = (state: SessionConversationState) =>
    Object.keys(reduceSessionEvent(state, delta('a', 'y')))
  expect(keysAfter(fields)).toEqual(order)
  expect(keysAfter({ branches: [], todos: [], ...fields })).toEqual([...order, 'todos', 'branches'])
  expect(keysAfter({ todos: [], ...fields })).toEqual([...order, 'todos'])
  expect(keysAfter({ branches: [], ...fields })).toEqual([...order, 'branches'])
})

it('keeps further fields of the state', () => {
  const before = { ...fold(upsert({ id: 'a', type: 'thinking', status: 'pending', content: '' })), own: 1 }
  expect(reduceSessionEvent(before, delta('a', 'y'))).toMatchObject({ own: 1, blocks: [{ content: 'y' }] })
})

it.each([
  { type: 'block:delta', blockId: 'a', delta: 7 },
  { type: 'block:delta', blockId: 'a', delta: 'y', conversationId: 7 },
  { type: 'block:delta', blockId: 'a', delta: 'y', timestamp: 7 },
  { type: 'block:moved', blockId: 'a', delta: 'y' },
  { type: '', blockId: 'a', delta: 'y' },
  null,
])('ignores a value that the guard refuses: %j', (wrong) => {
  const before = fold(upsert({ id: 'a', type: 'thinking', status: 'pending', content: '' }))
  expect(reduceSessionEvent(before, fromWire(wrong))).toBe(before)
})

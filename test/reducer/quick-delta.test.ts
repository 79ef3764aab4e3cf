import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type IncomingBlock,
  reduceSessionEvent,
  reduceSessionEvents,
  stepSessionEvent,
} from '../../src/index.ts'
import { delta, fold, fromWire, spawn, upsert } from './example.ts'

const optional = { timestamp: 't', messageId: 'm', model: 'x', redacted: true, ownField: { a: 1 } }

// A delta by itself takes a short way, which must not show.
it('gives what a batch gives, whatever a block has', () => {
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

it('keeps what a host has put into the state', () => {
  const before = { ...fold(upsert({ id: 'a', type: 'thinking', status: 'pending', content: '' })), own: 1 }
  expect(reduceSessionEvent(before, delta('a', 'y'))).toMatchObject({ own: 1, blocks: [{ content: 'y' }] })
})

it.each([
  { type: 'block:delta', blockId: 'a', delta: 7 },
  { type: 'block:delta', blockId: 'a', delta: 'y', conversationId: 7 },
  { type: 'block:delta', blockId: 'a', delta: 'y', timestamp: 7 },
  null,
])('lets nothing pass that a guard would not: %j', (wrong) => {
  const before = fold(upsert({ id: 'a', type: 'thinking', status: 'pending', content: '' }))
  expect(reduceSessionEvent(before, fromWire(wrong))).toBe(before)
})

import { describe, expect, it } from 'vitest'
import {
  findBlock,
  parseSessionEvent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionEvent,
  stepSessionEvent,
} from '../../../src/index.ts'
import { delta, text, toolUse, upsert } from '../../reducer/example.ts'
import { good, state } from '../example.ts'
import { revoked, touchy } from '../values.ts'

/** Types a value as an event without a check. */
const asEvent = (value: unknown): SessionEvent => Object(value)

describe.each([
  ['that throws at every access', touchy()],
  ['that is a revoked proxy', revoked()],
  [
    'whose getter throws',
    {
      type: 'block:delta',
      get blockId(): string {
        throw new Error('mine')
      },
      delta: 'x',
    },
  ],
  [
    'whose type throws',
    {
      get type(): string {
        throw new Error('mine')
      },
    },
  ],
  ['whose block throws', { type: 'block:upsert', block: touchy() }],
  ['whose input throws', upsert(toolUse('t', { input: touchy() }))],
])('an event %s', (_, value) => {
  it('is an unknown event', () => {
    expect(stepSessionEvent(state, asEvent(value))).toEqual({
      state,
      issue: expect.objectContaining({ code: 'unknown-event' }),
    })
    expect(reduceSessionEvents(state, [asEvent(value), good])).toEqual(reduceSessionEvent(state, good))
  })

  it('is unreadable', () => {
    expect(parseSessionEvent(value)).toEqual({
      ok: false,
      issues: [{ code: 'unreadable', path: [], expected: 'plain data' }],
    })
  })
})

it('a field that is not enumerable is lost, and nothing throws', () => {
  const hidden = Object.defineProperty(text('b'), 'content', { enumerable: false })
  const after = reduceSessionEvents(state, [upsert(hidden)])
  const step = { state: after, issue: expect.objectContaining({ code: 'delta-without-text' }) }
  expect(stepSessionEvent(after, delta('b', 'x'))).toEqual(step)
})

// JSON has no classes. So the guard reads a field and does not ask whether the object inherits it.
describe('fields that an object inherits', () => {
  class Block {
    readonly id = 'b'
    readonly status = 'pending'
    readonly content: string = 'hi'
    get type(): string {
      return 'assistant_text'
    }
  }
  class Delta {
    readonly blockId = 'a'
    readonly delta = 'good'
    readonly tea: unknown = 1
    get type(): string {
      return 'block:delta'
    }
  }
  class Own {
    readonly type = 'block:delta'
    readonly blockId = 'a'
    readonly delta = 'good'
  }

  it.each([
    ['an inherited type', new Delta()],
    [
      'an inherited id',
      Object.assign(Object.create({ blockId: 'a' }), { type: 'block:delta', delta: 'good' }),
    ],
    ['a class and fields of its own', new Own()],
  ])('count in an event: %s', (_, value) => {
    expect(parseSessionEvent(value)).toEqual({ ok: true, event: value })
    expect(reduceSessionEvent(state, asEvent(value))).toEqual(reduceSessionEvent(state, good))
    expect(reduceSessionEvents(state, [asEvent(value)])).toEqual(reduceSessionEvent(state, good))
  })

  it('are lost in the copy of a block, and the rest of the batch is not', () => {
    const after = reduceSessionEvents(state, [asEvent({ type: 'block:upsert', block: new Block() }), good])
    expect(findBlock(after, 'main', 'a')).toEqual(findBlock(reduceSessionEvent(state, good), 'main', 'a'))
    expect(findBlock(after, 'main', 'b')).toEqual({
      id: 'b',
      status: 'pending',
      content: 'hi',
      conversationId: 'main',
    })
  })
})

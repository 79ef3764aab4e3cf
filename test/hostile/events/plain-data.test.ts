import { describe, expect, it } from 'vitest'
import {
  parseSessionEvent,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionEvent,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import { delta, text, toolUse, upsert } from '../../core/reducer/example.ts'
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
  it('is refused', () => {
    expect(stepSessionEvent(state, asEvent(value))).toEqual({
      state,
      issue: expect.objectContaining({ code: expect.stringMatching(/^(?:unknown|malformed)-event$/) }),
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
    readonly delta = 'x'
    readonly tea: unknown = 1
    get type(): string {
      return 'block:delta'
    }
  }

  it.each([
    ['an inherited type of an event', new Delta(), ['type'], 'unknown-type'],
    [
      'an inherited type of a block',
      { type: 'block:upsert', block: new Block() },
      ['block', 'type'],
      'unknown-type',
    ],
    [
      'an inherited field',
      Object.assign(Object.create({ blockId: 'a' }), { type: 'block:delta', delta: 'x' }),
      ['blockId'],
      'invalid-value',
    ],
    [
      'an inherited field of a block',
      {
        type: 'block:upsert',
        block: Object.assign(Object.create({ id: 'b' }), { ...text('b'), id: undefined }),
      },
      ['block', 'id'],
      'invalid-value',
    ],
  ])('would be lost in the copy of the state: %s', (_, value, path, code) => {
    expect(parseSessionEvent(value)).toMatchObject({ ok: false, issues: [{ code, path }] })
    expect(reduceSessionEvents(state, [asEvent(value)])).toBe(state)
  })

  it('are no fields of an instance that has its own', () => {
    class Own {
      readonly type = 'block:delta'
      readonly blockId = 'a'
      readonly delta = 'good'
    }
    expect(reduceSessionEvent(state, asEvent(new Own()))).toEqual(reduceSessionEvent(state, good))
  })
})

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  stepSessionEvent,
} from '../../../src/entries/index.ts'
import { replay } from '../../../src/entries/testing.ts'
import { delta, fold, statesOf, text, upsert } from '../../core/reducer/example.ts'
import { runs } from '../../depth.ts'
import { unrulyEvents } from '../../unruly-events.ts'

const empty = createInitialConversationState()
const log = [upsert(text('a')), delta('a', 'Hel'), delta('gone', '?'), delta('a', 'lo')]

describe('a replay', () => {
  it('iterates over a log with the state and the issue of each event', () => {
    const steps = [...replay(log)]
    expect(steps.map(({ index, event }) => [index, event])).toEqual([...log.entries()])
    expect(steps.map(({ state }) => state.blocks)).toMatchObject([
      [{ content: '' }],
      [{ content: 'Hel' }],
      [{ content: 'Hel' }],
      [{ content: 'Hello' }],
    ])
    expect(steps.map(({ issue }) => issue?.code)).toEqual([
      undefined,
      undefined,
      'delta-before-block',
      undefined,
    ])
  })

  it('can be iterated again', () => {
    const walk = replay(log)
    expect([...walk]).toEqual([...walk])
  })

  it('returns the state after any number of events, counted from either end', () => {
    fc.assert(
      fc.property(unrulyEvents(), (events) => {
        const walk = replay(events)
        expect(walk.length).toBe(events.length)
        for (const [at, state] of statesOf(events).entries()) {
          assert.deepEqual(walk.at(at), state)
          assert.deepEqual(walk.at(at - events.length - 1), state)
        }
      }),
    )
  })

  it('returns one state for one place, and neighbours share what did not change', () => {
    const walk = replay([
      upsert(text('a')),
      upsert(text('b')),
      ...Array.from({ length: 998 }, () => delta('b', '.')),
    ])
    const [last, before] = [walk.at(-1), walk.at(-2)]
    expect(walk.at(1000)).toBe(last)
    expect(last.blocks[1]).not.toBe(before.blocks[1])
    for (const count of [1, 2, 500, 999]) expect(walk.at(count).blocks[0]).toBe(last.blocks[0])
    expect(walk.at(-2)).toBe(before)
  })

  it('returns states of a long log in any order', () => {
    const logs = fc.array(sessionLog(), { minLength: 20, maxLength: 40 })
    fc.assert(
      fc.property(logs, fc.array(fc.nat(), { maxLength: 8 }), (parts, places) => {
        const events = parts.flat()
        const walk = replay(events)
        for (const place of places) {
          const at = place % (events.length + 1)
          expect(walk.at(at)).toEqual(reduceSessionEvents(empty, events.slice(0, at)))
        }
      }),
      { numRuns: runs(20) },
    )
  })

  it('returns states of a log that is too long to keep them all', () => {
    const walk = replay([upsert(text('a')), ...Array.from({ length: 2500 }, () => delta('a', '.'))])
    for (const count of [2501, 1, 1000, 999, 1001, 2500])
      expect(walk.at(count).blocks).toMatchObject([{ content: '.'.repeat(count - 1) }])
  })

  it('starts with the given state', () => {
    const start = fold(upsert(text('before')))
    expect(replay([], start).at(0)).toBe(start)
    expect(
      replay(log, start)
        .at(-1)
        .blocks.map(({ id }) => id),
    ).toEqual(['before', 'a'])
  })

  it('keeps the events of an iterator', () => {
    const walk = replay(new Set(log).values())
    expect(walk.length).toBe(4)
    expect([...walk]).toHaveLength(4)
  })

  it.each([5, -6, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'throws a RangeError for the place %d of four events',
    (count) => {
      expect(() => replay(log).at(count)).toThrow(RangeError)
    },
  )

  it('gives each event the state and the issue of stepSessionEvent', () => {
    fc.assert(
      fc.property(unrulyEvents(), (events) => {
        const walk = replay(events)
        for (const { index, event, state, issue } of walk)
          assert.deepEqual({ state, issue }, { issue: undefined, ...stepSessionEvent(walk.at(index), event) })
      }),
    )
  })
})

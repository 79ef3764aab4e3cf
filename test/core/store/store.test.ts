import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  createInitialConversationState,
  createSessionStore,
  findBlock,
  foldSessionEvents,
  type ReducerIssue,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { delta, fold, text, upsert } from '../reducer/example.ts'
import { log } from '../reducer/laws/logs.ts'
import { storeAfter } from './manual-store.ts'

const empty = createInitialConversationState()

describe('the state', () => {
  it('starts as an empty session or as the given state', () => {
    const state = fold(upsert(text('a')))
    expect(createSessionStore().getState()).toEqual(empty)
    expect(createSessionStore({ state }).getState()).toBe(state)
  })

  it('changes when the events are folded, not before', () => {
    const store = storeAfter(upsert(text('a')))
    const before = store.getState()
    store.dispatch(delta('a', 'x'))
    expect(store.getState()).toBe(before)
    expect(store.flush()).toEqual(fold(upsert(text('a')), delta('a', 'x')))
    expect(store.getState()).toBe(store.flush())
  })

  it('equals the reducer’s state for the folded events at any time', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(log, fc.boolean(), fc.boolean()), { maxLength: 6 }), (parts) => {
        const store = createSessionStore({ schedule: 'manual' })
        let [taken, folded]: SessionEvent[][] = [[], []]
        for (const [events, isAll, isFlushed] of parts) {
          if (isAll) store.dispatchAll(events)
          else for (const event of events) store.dispatch(event)
          taken = [...(taken ?? []), ...events]
          if (isFlushed) folded = taken
          if (isFlushed) store.flush()
          expect(store.getState()).toEqual(reduceSessionEvents(empty, folded ?? []))
        }
        expect(store.flush()).toEqual(reduceSessionEvents(empty, taken ?? []))
      }),
    )
  })

  it('can be used through the functions alone, without the store object', () => {
    const { dispatch, flush, getState } = createSessionStore({ schedule: 'manual' })
    for (const event of [upsert(text('a')), delta('a', 'x')]) dispatch(event)
    expect(flush()).toBe(getState())
    expect(findBlock(getState(), 'main', 'a')).toMatchObject({ content: 'x' })
  })
})

describe('dispatchAll', () => {
  it('accepts any iterable', () => {
    const store = createSessionStore({ schedule: 'manual' })
    store.dispatchAll(new Set([upsert(text('a')), delta('a', 'x')]).values())
    expect(store.flush()).toEqual(fold(upsert(text('a')), delta('a', 'x')))
  })

  it('adds no events of an iterable that throws', () => {
    const work = vi.fn()
    const store = createSessionStore({ schedule: work })
    function* broken() {
      yield upsert(text('a'))
      throw new Error('lost')
    }
    expect(() => store.dispatchAll(broken())).toThrow('lost')
    expect(work).not.toHaveBeenCalled()
    expect(store.flush()).toEqual(empty)
  })

  it('copies the events, so that a list may grow later', () => {
    const store = createSessionStore({ schedule: 'manual' })
    const events = [upsert(text('a'))]
    store.dispatchAll(events)
    events.push(upsert(text('b')))
    expect(store.flush()).toEqual(fold(upsert(text('a'))))
  })
})

describe('an issue', () => {
  it('is passed to onIssue, like foldSessionEvents returns it', () => {
    fc.assert(
      fc.property(log, log, (first, second) => {
        const issues: ReducerIssue[] = []
        const store = createSessionStore({ schedule: 'manual', onIssue: (issue) => issues.push(issue) })
        for (const frame of [first, second]) {
          store.dispatchAll(frame)
          store.flush()
        }
        expect(issues).toEqual(foldSessionEvents(empty, [...first, ...second]).issues)
      }),
    )
  })

  it('is passed after the change of the state', () => {
    const onIssue = vi.fn(() => store.getState())
    const store = createSessionStore({ schedule: 'manual', onIssue })
    store.dispatchAll([delta('b', 'x'), upsert(text('a'))])
    const state = store.flush()
    expect(onIssue).toHaveReturnedWith(state)
  })

  it('whose handler throws stops neither the change, nor the other issues, nor the listeners', () => {
    const onIssue = vi.fn(() => {
      throw new Error('mine')
    })
    const store = createSessionStore({ schedule: 'manual', onIssue })
    const listener = vi.fn()
    store.subscribe(listener)
    store.dispatchAll([delta('b', 'x'), delta('c', 'x'), upsert(text('a'))])
    expect(() => store.flush()).toThrow(AggregateError)
    expect(onIssue).toHaveBeenCalledTimes(2)
    expect(listener).toHaveBeenCalledOnce()
    expect(store.flush()).toEqual(fold(upsert(text('a'))))
  })
})

describe('replaceState', () => {
  const other = fold(upsert(text('z')))

  it('calls the listeners at once', () => {
    const store = storeAfter(upsert(text('a')))
    const [listener, selected] = [vi.fn(), vi.fn()]
    store.subscribe(listener)
    store.subscribeTo((state) => state.blocks.length, selected)
    store.replaceState(other)
    expect(store.getState()).toBe(other)
    expect(listener).toHaveBeenCalledOnce()
    expect(selected).not.toHaveBeenCalled()
  })

  it('drops the pending events, which belong to the old state', () => {
    const store = storeAfter()
    store.dispatch(upsert(text('a')))
    store.replaceState(other)
    expect(store.flush()).toBe(other)
    store.dispatch(delta('z', 'x'))
    expect(store.flush()).toEqual(fold(upsert(text('z')), delta('z', 'x')))
  })

  it('calls no listener for the same state', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    store.subscribe(listener)
    store.replaceState(store.getState())
    expect(listener).not.toHaveBeenCalled()
  })
})

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
} from '../../src/index.ts'
import { delta, fold, text, upsert } from '../reducer/example.ts'
import { log } from '../reducer/logs.ts'
import { storeAfter } from './manual-store.ts'

const empty = createInitialConversationState()

describe('the state', () => {
  it('is that of an unknown session, or the one given', () => {
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

  it('is at each time that of the events which were folded, however they came', () => {
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

  it('needs no store to be read or written through: its functions stand by themselves', () => {
    const { dispatch, flush, getState } = createSessionStore({ schedule: 'manual' })
    for (const event of [upsert(text('a')), delta('a', 'x')]) dispatch(event)
    expect(flush()).toBe(getState())
    expect(findBlock(getState(), 'main', 'a')).toMatchObject({ content: 'x' })
  })
})

describe('dispatchAll', () => {
  it('takes any iterable', () => {
    const store = createSessionStore({ schedule: 'manual' })
    store.dispatchAll(new Set([upsert(text('a')), delta('a', 'x')]).values())
    expect(store.flush()).toEqual(fold(upsert(text('a')), delta('a', 'x')))
  })

  it('takes nothing of what breaks off half way', () => {
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

  it('takes what it is given, though the list grows later', () => {
    const store = createSessionStore({ schedule: 'manual' })
    const events = [upsert(text('a'))]
    store.dispatchAll(events)
    events.push(upsert(text('b')))
    expect(store.flush()).toEqual(fold(upsert(text('a'))))
  })
})

describe('an issue', () => {
  it('is told, each one, as folding tells it', () => {
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

  it('is told after the state has changed', () => {
    const onIssue = vi.fn(() => store.getState())
    const store = createSessionStore({ schedule: 'manual', onIssue })
    store.dispatchAll([delta('b', 'x'), upsert(text('a'))])
    const state = store.flush()
    expect(onIssue).toHaveReturnedWith(state)
  })

  it('whose hearer throws loses neither the state, nor the other issues, nor the listeners', () => {
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

describe('another state', () => {
  const other = fold(upsert(text('z')))

  it('is shown at once', () => {
    const store = storeAfter(upsert(text('a')))
    const [listener, selected] = [vi.fn(), vi.fn()]
    store.subscribe(listener)
    store.subscribeTo((state) => state.blocks.length, selected)
    store.replaceState(other)
    expect(store.getState()).toBe(other)
    expect(listener).toHaveBeenCalledOnce()
    expect(selected).not.toHaveBeenCalled()
  })

  it('drops what waits, which belongs to the one before', () => {
    const store = storeAfter()
    store.dispatch(upsert(text('a')))
    store.replaceState(other)
    expect(store.flush()).toBe(other)
    store.dispatch(delta('z', 'x'))
    expect(store.flush()).toEqual(fold(upsert(text('z')), delta('z', 'x')))
  })

  it('that is the same one is no news', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    store.subscribe(listener)
    store.replaceState(store.getState())
    expect(listener).not.toHaveBeenCalled()
  })
})

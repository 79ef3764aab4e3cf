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
  type SessionStore,
} from '../../src/index.ts'
import { delta, fold, fromWire, idle, spawn, text, upsert } from '../reducer/example.ts'
import { log } from '../reducer/logs.ts'

const empty = createInitialConversationState()

/** A store that changes with `flush` alone, after some events. */
function storeAfter(...events: readonly SessionEvent[]): SessionStore {
  return createSessionStore({ state: fold(...events), schedule: 'manual' })
}

/** A store with a block `a`, and what happens when it changes. */
function change(store: SessionStore): void {
  store.dispatch(delta('a', 'x'))
  store.flush()
}

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

describe('a listener', () => {
  it('is called once for all that came until the frame, and finds the new state', () => {
    const store = storeAfter()
    const seen = vi.fn(() => store.getState())
    store.subscribe(seen)
    for (const event of [upsert(text('a')), delta('a', 'x'), spawn('T')]) store.dispatch(event)
    store.dispatchAll([delta('a', 'y'), idle()])
    expect(seen).not.toHaveBeenCalled()
    const state = store.flush()
    expect(seen).toHaveBeenCalledOnce()
    expect(seen).toHaveReturnedWith(state)
  })

  it('is called exactly when the state has become another', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 8 }), (frames) => {
        const store = createSessionStore({ schedule: 'manual' })
        const listener = vi.fn()
        store.subscribe(listener)
        for (const frame of frames) {
          const before = store.getState()
          listener.mockClear()
          store.dispatchAll(frame)
          expect(listener).toHaveBeenCalledTimes(store.flush() === before ? 0 : 1)
          expect(store.getState() === before).toBe(reduceSessionEvents(before, frame) === before)
        }
      }),
    )
  })

  it('is not called when nothing has changed, and the state is the same reference', () => {
    const store = storeAfter(upsert(text('a')))
    const [state, listener] = [store.getState(), vi.fn()]
    store.subscribe(listener)
    store.dispatchAll([upsert(text('a')), delta('a', ''), delta('b', 'x'), fromWire({ type: 'unknown' })])
    expect(store.flush()).toBe(state)
    expect(listener).not.toHaveBeenCalled()
  })

  it('is called until its subscription ends, which may be said twice', () => {
    const store = storeAfter(upsert(text('a')))
    const [listener, other] = [vi.fn(), vi.fn()]
    const end = store.subscribe(listener)
    store.subscribe(other)
    change(store)
    end()
    end()
    change(store)
    expect([listener, other].map(({ mock }) => mock.calls.length)).toEqual([1, 2])
  })

  it('that subscribes twice is called twice, and ends each by itself', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    const end = store.subscribe(listener)
    store.subscribe(listener)
    change(store)
    expect(listener).toHaveBeenCalledTimes(2)
    end()
    end()
    change(store)
    expect(listener).toHaveBeenCalledTimes(3)
  })

  it('that comes while the others are told is told of the next change', () => {
    const store = storeAfter(upsert(text('a')))
    const late = vi.fn()
    const end = store.subscribe(() => {
      end()
      store.subscribe(late)
    })
    change(store)
    expect(late).not.toHaveBeenCalled()
    change(store)
    expect(late).toHaveBeenCalledOnce()
  })

  // A component that has just been taken off the page would have been told once more.
  it('that is ended while the others are told is not called any more', () => {
    const store = storeAfter(upsert(text('a')))
    const [listener, other] = [vi.fn(), vi.fn()]
    store.subscribe(() => end())
    const end = store.subscribe(listener)
    store.subscribe(other)
    change(store)
    expect(listener).not.toHaveBeenCalled()
    expect(other).toHaveBeenCalledOnce()
  })

  it('that throws keeps neither the news from the others nor the state from changing', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    const end = store.subscribe(() => {
      throw new Error('mine')
    })
    store.subscribe(listener)
    expect(() => change(store)).toThrow('mine')
    expect(listener).toHaveBeenCalledOnce()
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'x')))
    end()
    change(store)
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'xx')))
  })

  it('that throws beside another one is one of several errors', () => {
    const store = storeAfter(upsert(text('a')))
    const errors = [new Error('mine'), new Error('yours')]
    for (const error of errors)
      store.subscribe(() => {
        throw error
      })
    expect(() => change(store)).toThrow(expect.objectContaining({ name: 'AggregateError', errors }))
  })

  it('may dispatch: the event comes with the next frame, and is lost to nobody', () => {
    const frames: (() => void)[] = []
    const store = createSessionStore({ schedule: (work) => frames.push(work) })
    const seen: unknown[] = []
    store.subscribe(() => {
      if (seen.length < 2) store.dispatch(upsert(text(`b${seen.length}`)))
    })
    store.subscribe(() => seen.push(store.getState().blocks.map(({ id }) => id)))
    store.dispatch(upsert(text('a')))
    for (const work of frames) work()
    expect(seen).toEqual([['a'], ['a', 'b0'], ['a', 'b0', 'b1']])
  })

  it('may fold at once what it dispatches', () => {
    const store = storeAfter(upsert(text('a')))
    const end = store.subscribe(() => {
      end()
      change(store)
    })
    change(store)
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'xx')))
  })
})

describe('a selector’s listener', () => {
  it('is called when what is selected has become another value, with both', () => {
    const store = storeAfter(upsert(text('a')), upsert(text('b')))
    const listener = vi.fn()
    store.subscribeTo((state) => state.blocks[0], listener)
    const [before] = store.getState().blocks
    store.dispatch(delta('b', 'x'))
    store.flush()
    expect(listener).not.toHaveBeenCalled()
    change(store)
    expect(listener.mock.calls).toEqual([[store.getState().blocks[0], before]])
    expect(listener.mock.calls[0]?.[1]).toBe(before)
  })

  it('is called by reference: for each part of the state exactly when that part was replaced', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 8 }), (frames) => {
        const store = createSessionStore({ schedule: 'manual' })
        for (const part of ['blocks', 'usage', 'subagents', 'session'] as const)
          store.subscribeTo(
            (state) => state[part],
            (selected, before) => told.push([part, selected, before]),
          )
        let told: unknown[] = []
        for (const frame of frames) {
          const before = store.getState()
          told = []
          store.dispatchAll(frame)
          const after = store.flush()
          const parts = (['blocks', 'usage', 'subagents', 'session'] as const).filter(
            (part) => after[part] !== before[part],
          )
          expect(told).toEqual(parts.map((part) => [part, after[part], before[part]]))
        }
      }),
    )
  })

  it('takes what is no number for the same each time', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    store.subscribeTo(() => NaN, listener)
    change(store)
    expect(listener).not.toHaveBeenCalled()
  })

  it('begins with what is selected when it subscribes, and ends', () => {
    const store = storeAfter(upsert(text('a')))
    change(store)
    const listener = vi.fn()
    const end = store.subscribeTo(contentOfA, listener)
    change(store)
    end()
    change(store)
    expect(listener.mock.calls).toEqual([['xx', 'x']])
  })

  it('hears of a value once, though another listener brings the next one at once', () => {
    const store = storeAfter(upsert(text('a')))
    const end = store.subscribe(() => {
      end()
      change(store)
    })
    const listener = vi.fn()
    store.subscribeTo(contentOfA, listener)
    change(store)
    expect(listener.mock.calls).toEqual([['xx', '']])
  })

  it('is told of the change still, if the selector threw in between', () => {
    const store = storeAfter(upsert(text('a')))
    const listener = vi.fn()
    let isBroken = false
    store.subscribeTo((state) => {
      if (isBroken) throw new Error('mine')
      return contentOfA(state)
    }, listener)
    isBroken = true
    expect(() => change(store)).toThrow('mine')
    isBroken = false
    change(store)
    expect(listener.mock.calls).toEqual([['xx', '']])
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

function contentOfA(state: ReturnType<SessionStore['getState']>): unknown {
  const block = findBlock(state, 'main', 'a')
  return block?.type === 'assistant_text' ? block.content : undefined
}

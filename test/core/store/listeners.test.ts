import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createSessionStore, reduceSessionEvents } from '../../../src/entries/index.ts'
import { delta, fold, fromWire, idle, spawn, text, upsert } from '../reducer/example.ts'
import { log } from '../reducer/laws/logs.ts'
import { change, storeAfter } from './manual-store.ts'

describe('a listener', () => {
  it('is called once per frame, and getState returns the new state', () => {
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

  it('is called exactly when the state changed', () => {
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

  it('is not called if nothing changed, and the state is the same reference', () => {
    const store = storeAfter(upsert(text('a')))
    const [state, listener] = [store.getState(), vi.fn()]
    store.subscribe(listener)
    store.dispatchAll([upsert(text('a')), delta('a', ''), delta('b', 'x'), fromWire({ type: 'unknown' })])
    expect(store.flush()).toBe(state)
    expect(listener).not.toHaveBeenCalled()
  })

  it('is called until its subscription ends, and a second end does nothing', () => {
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

  it('that subscribes twice is called twice, and each subscription ends on its own', () => {
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

  it('that subscribes during a change is called for the next change', () => {
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

  // Otherwise a component that was just unmounted is called once more.
  it('that ends during a change is not called', () => {
    const store = storeAfter(upsert(text('a')))
    const [listener, other] = [vi.fn(), vi.fn()]
    store.subscribe(() => end())
    const end = store.subscribe(listener)
    store.subscribe(other)
    change(store)
    expect(listener).not.toHaveBeenCalled()
    expect(other).toHaveBeenCalledOnce()
  })

  it('that throws stops neither the other listeners nor the change', () => {
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

  it('that throws with another one gives an AggregateError', () => {
    const store = storeAfter(upsert(text('a')))
    const errors = [new Error('mine'), new Error('yours')]
    for (const error of errors)
      store.subscribe(() => {
        throw error
      })
    expect(() => change(store)).toThrow(expect.objectContaining({ name: 'AggregateError', errors }))
  })

  it('may dispatch: the event is folded with the next frame', () => {
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

  it('may dispatch and flush', () => {
    const store = storeAfter(upsert(text('a')))
    const end = store.subscribe(() => {
      end()
      change(store)
    })
    change(store)
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'xx')))
  })
})

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createInitialConversationState,
  createSessionStore,
  reduceSessionEvents,
  type SessionStore,
} from '../../../src/entries/index.ts'
import { delta, fold, idle, text, upsert } from '../reducer/example.ts'
import { log } from '../reducer/laws/logs.ts'

const state = fold(upsert(text('a')))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Counts the changes of the state. */
function changesOf(store: SessionStore): () => number {
  const listener = vi.fn()
  store.subscribe(listener)
  return () => listener.mock.calls.length
}

/** Stubs the frames of a page. A test draws each frame itself. */
function page(): { readonly requests: () => number; readonly draw: () => void } {
  const requested = new Map<number, () => void>()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (work: () => void) => {
    last += 1
    requested.set(last, work)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (request: number) => requested.delete(request))
  return {
    requests: () => requested.size,
    draw: () => {
      const works = [...requested.values()]
      requested.clear()
      for (const work of works) work()
    },
  }
}

describe('a frame of a page', () => {
  it('changes the state once for all its events', () => {
    const { requests, draw } = page()
    const store = createSessionStore({ state })
    const changes = changesOf(store)
    for (const piece of 'many') store.dispatch(delta('a', piece))
    expect([requests(), changes()]).toEqual([1, 0])
    draw()
    expect(changes()).toBe(1)
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'many')))
  })

  it('leaves no timer and requests no further frame', () => {
    const { requests, draw } = page()
    const store = createSessionStore({ state })
    store.dispatch(delta('a', 'x'))
    draw()
    expect([requests(), vi.getTimerCount()]).toEqual([0, 0])
  })

  it('is followed by another for events that arrive while it is drawn', () => {
    const { draw } = page()
    const store = createSessionStore({ state })
    const changes = changesOf(store)
    const end = store.subscribe(() => {
      end()
      store.dispatch(delta('a', 'y'))
    })
    store.dispatch(delta('a', 'x'))
    draw()
    expect(changes()).toBe(1)
    draw()
    expect(changes()).toBe(2)
  })

  // A flush before the frame requested another frame. Events that arrived during the first frame were folded within it.
  it('is requested once, also after a flush', () => {
    const { requests, draw } = page()
    const store = createSessionStore({ state })
    for (const piece of 'abc') {
      store.dispatch(delta('a', piece))
      store.flush()
    }
    store.dispatch(delta('a', 'd'))
    expect(requests()).toBe(1)
    const end = store.subscribe(() => {
      end()
      store.dispatch(delta('a', 'e'))
    })
    const changes = changesOf(store)
    draw()
    expect(changes()).toBe(1)
    draw()
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'abcde')))
  })

  it('of a hidden page is never drawn: a timer folds the events', () => {
    const { draw } = page()
    const store = createSessionStore({ state })
    const changes = changesOf(store)
    store.dispatch(delta('a', 'x'))
    vi.advanceTimersByTime(249)
    expect(changes()).toBe(0)
    vi.advanceTimersByTime(1)
    expect(changes()).toBe(1)
    store.dispatch(delta('a', 'y'))
    draw()
    expect(changes()).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('of a hidden page is requested once', () => {
    const { requests } = page()
    const store = createSessionStore({ state })
    for (const piece of 'many') {
      store.dispatch(delta('a', piece))
      vi.advanceTimersByTime(250)
    }
    expect([requests(), vi.getTimerCount()]).toEqual([0, 0])
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'many')))
  })
})

describe('without frames', () => {
  it('a timer folds the events after about a frame', () => {
    const store = createSessionStore({ state })
    const changes = changesOf(store)
    for (const piece of 'many') store.dispatch(delta('a', piece))
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(15)
    expect(changes()).toBe(0)
    vi.advanceTimersByTime(1)
    expect([changes(), vi.getTimerCount()]).toEqual([1, 0])
    expect(store.getState()).toEqual(fold(upsert(text('a')), delta('a', 'many')))
  })

  it('no events schedule no work', () => {
    createSessionStore({ state }).dispatchAll([])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('other schedules', () => {
  it('microtask: folds after the current task', async () => {
    const store = createSessionStore({ state, schedule: 'microtask' })
    const changes = changesOf(store)
    for (const piece of 'many') store.dispatch(delta('a', piece))
    expect(changes()).toBe(0)
    await Promise.resolve()
    expect(changes()).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('manual: folds with flush alone', async () => {
    const { requests } = page()
    const store = createSessionStore({ state, schedule: 'manual' })
    const changes = changesOf(store)
    store.dispatch(delta('a', 'x'))
    await Promise.resolve()
    expect([changes(), requests(), vi.getTimerCount()]).toEqual([0, 0, 0])
    store.flush()
    store.dispatch(delta('a', 'y'))
    store.flush()
    expect(changes()).toBe(2)
  })

  it('a function that runs the work at once: one change per call', () => {
    const store = createSessionStore({ state, schedule: (work) => work() })
    const changes = changesOf(store)
    for (const piece of 'abc') store.dispatch(delta('a', piece))
    store.dispatchAll([delta('a', 'd'), delta('a', 'e'), idle()])
    expect(changes()).toBe(4)
  })

  it('a function: gets one piece of work at a time, and no event is lost', () => {
    const step = fc.oneof(
      { arbitrary: log, weight: 3 },
      fc.constantFrom<'flush' | 'work'>('flush', 'work'),
      fc.constantFrom<'flush' | 'work'>('flush', 'work'),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let works: (() => void)[] = []
        const store = createSessionStore({ schedule: (work) => works.push(work) })
        const work = () => {
          const [next] = works
          works = []
          next?.()
        }
        for (const step of steps) {
          if (step === 'flush') store.flush()
          else if (step === 'work') work()
          else store.dispatchAll(step)
          expect(works.length).toBeLessThanOrEqual(1)
        }
        work()
        const events = steps.flatMap((step) => (typeof step === 'string' ? [] : step))
        expect(store.getState()).toEqual(reduceSessionEvents(createInitialConversationState(), events))
      }),
    )
  })

  it('work that runs after replaceState changes nothing', () => {
    let work = () => {}
    const store = createSessionStore({
      schedule: (given) => {
        work = given
      },
    })
    store.dispatch(upsert(text('a')))
    store.replaceState(state)
    work()
    expect(store.getState()).toBe(state)
  })
})

describe('an unknown schedule', () => {
  it.each(['fram', 'toString', 'constructor', '', 5, null])('throws a TypeError: %j', (schedule) => {
    const create = () => createSessionStore({ schedule: JSON.parse(JSON.stringify(schedule)) })
    expect(create).toThrow(new TypeError('schedule: pass frame, microtask, manual or a function'))
  })
})

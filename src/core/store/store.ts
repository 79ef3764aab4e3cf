import type { SessionEvent } from '../events/event.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'
import { callAll, Listeners, onChange } from './listeners.ts'

/** The first state of a store, and the time when it folds events. */
interface SessionStoreOptions {
  /** The first state, for example from a snapshot. The default is an empty session. */
  readonly state?: SessionConversationState
  /** The default is `frame`. A function gets the work and runs it later. */
  readonly schedule?: StoreSchedule | ((work: () => void) => void)
  /** Gets each reason why the reducer did not take an event, or a part of it, as it is. */
  readonly onIssue?: (issue: ReducerIssue) => void
}

/**
 * A session's state with its listeners. Each function works without the store object, so it can be passed around. If
 * a listener throws, the others still run. Then the call that changed the state throws the error, or an
 * `AggregateError` of several.
 */
export interface SessionStore {
  /** Returns the current state, without the pending events. */
  readonly getState: () => SessionConversationState
  /** Calls the listener after each change of the state. Returns a function that ends the subscription. */
  readonly subscribe: (listener: () => void) => () => void
  /** Calls the listener when the selected value changed, by `Object.is`. Returns a function that ends the subscription. */
  readonly subscribeTo: <Selected>(
    select: (state: SessionConversationState) => Selected,
    listener: (selected: Selected, before: Selected) => void,
  ) => () => void
  /** Adds a pending event. By default the store folds all pending events with the next frame, in one change. */
  readonly dispatch: (event: SessionEvent) => void
  /** Adds pending events in their order. */
  readonly dispatchAll: (events: Iterable<SessionEvent>) => void
  /** Folds the pending events now and returns the state. Call it before you take a snapshot. */
  readonly flush: () => SessionConversationState
  /** Replaces the state, for example by a snapshot's. Drops the pending events, which belong to the old state. */
  readonly replaceState: (state: SessionConversationState) => void
}

/**
 * Creates a store that folds events in batches: all events of one frame are one change of the state. Throws a
 * `TypeError` for an unknown schedule.
 */
export function createSessionStore({
  state: initial = createInitialConversationState(),
  schedule = 'frame',
  onIssue,
}: SessionStoreOptions = {}): SessionStore {
  const listeners = new Listeners()
  let state = initial
  let pending: SessionEvent[] = []

  const publish = (next: SessionConversationState, issues: readonly ReducerIssue[] = []): void => {
    const notified = next === state ? [] : listeners.all()
    state = next
    callAll([...issues.map((issue) => () => onIssue?.(issue)), ...notified])
  }
  const flush = (): SessionConversationState => {
    const events = pending
    pending = []
    const folded = foldSessionEvents(state, events)
    publish(folded.state, folded.issues)
    return state
  }
  // `flush` does not cancel the scheduled work: a new schedule would make a second change in the same frame.
  const scheduleFlush = createScheduler(schedule, flush)
  const dispatch = (event: SessionEvent): void => dispatchAll([event])
  const dispatchAll = (events: Iterable<SessionEvent>): void => {
    for (const event of [...events]) pending.push(event)
    if (pending.length > 0) scheduleFlush()
  }
  const subscribe: SessionStore['subscribe'] = (listener) => listeners.subscribe(listener)
  const subscribeTo: SessionStore['subscribeTo'] = (select, listener) =>
    subscribe(onChange(() => select(state), listener))
  const replaceState = (next: SessionConversationState): void => {
    pending = []
    publish(next)
  }
  return { getState: () => state, subscribe, subscribeTo, dispatch, dispatchAll, flush, replaceState }
}

/** When the store folds its pending events: with the next frame, right after the current task, or with `flush` alone. */
type StoreSchedule = 'frame' | 'microtask' | 'manual'

/** Runs the work at some later time. */
type Defer = (work: () => void) => void

/**
 * Returns a function that schedules `work`. Several calls before the work starts schedule it once. Throws a
 * `TypeError` for an unknown schedule.
 */
function createScheduler(schedule: StoreSchedule | Defer, work: () => void): () => void {
  const defer = typeof schedule === 'function' ? schedule : SCHEDULES.get(schedule)
  if (!defer) throw new TypeError('schedule: pass frame, microtask, manual or a function')
  let isScheduled = false
  const runWork = (): void => {
    isScheduled = false
    work()
  }
  return () => {
    if (isScheduled) return
    isScheduled = true
    try {
      defer(runWork)
    } catch (error) {
      isScheduled = false
      throw error
    }
  }
}

const SCHEDULES: ReadonlyMap<StoreSchedule, Defer> = /* @__PURE__ */ new Map<StoreSchedule, Defer>([
  ['frame', onFrame],
  ['microtask', (work) => void Promise.resolve().then(work)],
  ['manual', () => {}],
])

/** Browsers have these functions, servers do not. */
declare const requestAnimationFrame: ((work: () => void) => number) | undefined
declare const cancelAnimationFrame: (request: number) => void

const FRAME_MS = 16

/** A browser draws no frames for a hidden page. The store folds all the same, so that events do not pile up. */
const HIDDEN_MS = 250

/** Runs the work with the next frame. Without frames, it runs the work after about the same time. */
function onFrame(work: () => void): void {
  if (typeof requestAnimationFrame !== 'function') {
    setTimeout(work, FRAME_MS)
    return
  }
  const timer = setTimeout(() => {
    cancelAnimationFrame(request)
    work()
  }, HIDDEN_MS)
  const request = requestAnimationFrame(() => {
    clearTimeout(timer)
    work()
  })
}

import type { SessionEvent } from './events/event.ts'
import type { ReducerIssue } from './reducer/issue.ts'
import { foldSessionEvents } from './reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from './state/session.ts'

/** When the events that have come are folded: with the next frame, as soon as the current work is done, or by `flush` alone. */
export type StoreSchedule = 'frame' | 'microtask' | 'manual'

export interface SessionStoreOptions {
  /** What to begin with, such as the state of a snapshot; a session without anything unless told otherwise. */
  readonly state?: SessionConversationState
  /** `frame` unless told otherwise; or a function that does the work later. */
  readonly schedule?: StoreSchedule | ((work: () => void) => void)
  /** Is told why an event, or a part of it, was not taken as it stands. */
  readonly onIssue?: (issue: ReducerIssue) => void
}

/** A session's state and who wants to know of it. Its functions may be passed around by themselves. */
export interface SessionStore {
  /** The state that the listeners know; events that still wait are not in it. */
  readonly getState: () => SessionConversationState
  /** Calls the listener after each change of the state; returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void
  /** Calls the listener when what is selected has become another value, by `Object.is`; returns what ends that. */
  readonly subscribeTo: <Selected>(
    select: (state: SessionConversationState) => Selected,
    listener: (selected: Selected, before: Selected) => void,
  ) => () => void
  /** Takes an event; the state changes with the next frame, all that has come until then in one change. */
  readonly dispatch: (event: SessionEvent) => void
  readonly dispatchAll: (events: Iterable<SessionEvent>) => void
  /** Folds what waits at once, and returns the state; a snapshot needs it. */
  readonly flush: () => SessionConversationState
  /** Puts another state in its place, as after a snapshot; what waits belongs to the one before and is dropped. */
  readonly replaceState: (state: SessionConversationState) => void
}

/** Creates a store that folds events in batches, one change of the state for all that come within a frame. */
export function createSessionStore({
  state: initial = createInitialConversationState(),
  schedule = 'frame',
  onIssue,
}: SessionStoreOptions = {}): SessionStore {
  const listeners = new Set<() => void>()
  const later = typeof schedule === 'function' ? schedule : SCHEDULES[schedule]
  let state = initial
  let waiting: SessionEvent[] = []
  let isScheduled = false

  const show = (next: SessionConversationState, issues: readonly ReducerIssue[] = []): void => {
    const concerned = next === state ? [] : listeners
    state = next
    callAll([...issues.map((issue) => () => onIssue?.(issue)), ...concerned])
  }
  const flush = (): SessionConversationState => {
    if (waiting.length === 0) return state
    const events = waiting
    waiting = []
    const folded = foldSessionEvents(state, events)
    show(folded.state, folded.issues)
    return state
  }
  // A `flush` leaves the work scheduled: with another one beside it there would be two changes within a frame.
  const work = (): void => {
    isScheduled = false
    flush()
  }
  const dispatchAll = (events: Iterable<SessionEvent>): void => {
    for (const event of [...events]) waiting.push(event)
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    later(work)
  }
  const subscribe = (listener: () => void): (() => void) => {
    // Each subscription is one of its own, though the function be the same, and may end while the others are told.
    const own = (): void => {
      if (listeners.has(own)) listener()
    }
    listeners.add(own)
    return () => listeners.delete(own)
  }
  return {
    getState: () => state,
    subscribe,
    subscribeTo: (select, listener) => subscribe(onChange(() => select(state), listener)),
    dispatch: (event) => dispatchAll([event]),
    dispatchAll,
    flush,
    replaceState: (next) => {
      waiting = []
      show(next)
    },
  }
}

function onChange<Selected>(
  select: () => Selected,
  listener: (selected: Selected, before: Selected) => void,
): () => void {
  let selected = select()
  return () => {
    const before = selected
    selected = select()
    if (!Object.is(selected, before)) listener(selected, before)
  }
}

/** One listener that throws must not keep the news from the others. */
function callAll(listeners: readonly (() => void)[]): void {
  const errors: unknown[] = []
  for (const listener of listeners)
    try {
      listener()
    } catch (error) {
      errors.push(error)
    }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} listeners have failed`)
}

const SCHEDULES: Readonly<Record<StoreSchedule, (work: () => void) => void>> = {
  frame: onFrame,
  microtask: (work) => void Promise.resolve().then(work),
  manual: () => {},
}

/** Browsers have them, servers do not. */
declare const requestAnimationFrame: ((work: () => void) => number) | undefined
declare const cancelAnimationFrame: (request: number) => void

const FRAME_MS = 16

/** Of a page that nobody looks at no frame is drawn, and neither its events nor its requests are to pile up. */
const HIDDEN_MS = 250

/** With the next frame; where there are none, after about as long a time. */
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

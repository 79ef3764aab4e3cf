import type { SessionEvent } from '../events/event.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'
import { callAll, Listeners, onChange } from './listeners.ts'
import { type StoreSchedule, scheduling } from './schedule.ts'

/** What a store begins with, and when it folds. */
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

/**
 * Creates a store that folds events in batches, one change of the state for all that come within a frame. Throws a `TypeError` for
 * a schedule that there is not.
 */
export function createSessionStore({
  state: initial = createInitialConversationState(),
  schedule = 'frame',
  onIssue,
}: SessionStoreOptions = {}): SessionStore {
  const listeners = new Listeners()
  let state = initial
  let waiting: SessionEvent[] = []

  const show = (next: SessionConversationState, issues: readonly ReducerIssue[] = []): void => {
    const told = next === state ? [] : listeners.all()
    state = next
    callAll([...issues.map((issue) => () => onIssue?.(issue)), ...told])
  }
  const flush = (): SessionConversationState => {
    const events = waiting
    waiting = []
    const folded = foldSessionEvents(state, events)
    show(folded.state, folded.issues)
    return state
  }
  // A `flush` leaves it scheduled: with another one beside it there would be two changes within a frame.
  const flushLater = scheduling(schedule, flush)
  const dispatchAll = (events: Iterable<SessionEvent>): void => {
    for (const event of [...events]) waiting.push(event)
    if (waiting.length > 0) flushLater()
  }
  const subscribe = (listener: () => void): (() => void) => listeners.subscribe(listener)
  const subscribeTo: SessionStore['subscribeTo'] = (select, listener) =>
    subscribe(onChange(() => select(state), listener))
  const replaceState = (next: SessionConversationState): void => {
    waiting = []
    show(next)
  }
  const dispatch = (event: SessionEvent): void => dispatchAll([event])
  return { getState: () => state, subscribe, subscribeTo, dispatch, dispatchAll, flush, replaceState }
}

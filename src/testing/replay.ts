import type { SessionEvent } from '../events/event.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { reduceSessionEvents, stepSessionEvent } from '../reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'

/** What one event of a log did. */
export interface ReplayStep {
  /** The event's place in the log, counted from 0. */
  readonly index: number
  readonly event: SessionEvent
  /** The state after the event. */
  readonly state: SessionConversationState
  readonly issue?: ReducerIssue
}

/** A log that can be walked through, as often as one likes, and asked for its state at any place. */
export interface Replay extends Iterable<ReplayStep> {
  /** The number of events. */
  readonly length: number
  /**
   * Returns the state after the first `count` events: 0 is the state before any of them, and negative numbers count from the
   * end, so -1 is the state after all. Throws a `RangeError` for a number that is no place in the log.
   */
  at(count: number): SessionConversationState
}

/**
 * Returns the log of a session for a walk: step by step with each event's state and issue, or to any place at once. `start` is the
 * state before the first event, an empty session unless told otherwise.
 */
export function replay(
  events: Iterable<SessionEvent>,
  start: SessionConversationState = createInitialConversationState(),
): Replay {
  return new RecordedLog([...events], start)
}

/** Every so many events a state is kept: each one's list of blocks is its own, so all of them would take too much. */
const KEPT_EVERY = 100

class RecordedLog implements Replay {
  readonly #events: readonly SessionEvent[]
  readonly #kept: SessionConversationState[]

  constructor(events: readonly SessionEvent[], start: SessionConversationState) {
    this.#events = events
    this.#kept = [start]
  }

  get length(): number {
    return this.#events.length
  }

  at(count: number): SessionConversationState {
    const wanted = count < 0 ? this.length + 1 + count : count
    if (!Number.isInteger(wanted) || wanted < 0 || wanted > this.length)
      throw new RangeError(`at(${count}): pass a whole number from 0 to ${this.length}, or from the end`)
    const from = Math.floor(wanted / KEPT_EVERY)
    return reduceSessionEvents(this.#keptAt(from), this.#events.slice(from * KEPT_EVERY, wanted))
  }

  *[Symbol.iterator](): Generator<ReplayStep, undefined> {
    let state = this.at(0)
    for (const [index, event] of this.#events.entries()) {
      const step = stepSessionEvent(state, event)
      state = step.state
      yield { index, event, ...step }
    }
    return undefined
  }

  #keptAt(place: number): SessionConversationState {
    let state = this.#kept.at(-1) ?? createInitialConversationState()
    for (let at = this.#kept.length; at <= place; at += 1) {
      state = reduceSessionEvents(state, this.#events.slice((at - 1) * KEPT_EVERY, at * KEPT_EVERY))
      this.#kept.push(state)
    }
    return this.#kept[place] ?? state
  }
}

import type { SessionEvent } from '../../core/events/event.ts'
import type { ReducerIssue } from '../../core/reducer/issue.ts'
import { reduceSessionEvents, stepSessionEvent } from '../../core/reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'

/** One event of a log with the state after it. */
export interface ReplayStep {
  /** The event's index in the log, counted from 0. */
  readonly index: number
  readonly event: SessionEvent
  /** The state after the event. */
  readonly state: SessionConversationState
  readonly issue?: ReducerIssue
}

/** A session's log. Iterate over it any number of times, or get the state at any place. */
export interface Replay extends Iterable<ReplayStep> {
  /** The number of events. */
  readonly length: number
  /**
   * Returns the state after the first `count` events. 0 is the state before the first event. A negative number counts
   * from the end: -1 is the state after the last event. In a log of up to 1,000 events, the same number returns the
   * same object, and neighbours share the references of everything that did not change between them. Throws a
   * `RangeError` for a number that is not a place in the log.
   */
  at(count: number): SessionConversationState
}

/**
 * Returns a session's log for iteration, with the state and the issue of each event. `start` is the state before the
 * first event. The default is an empty session.
 */
export function replay(
  events: Iterable<SessionEvent>,
  start: SessionConversationState = createInitialConversationState(),
): Replay {
  return new RecordedLog([...events], start)
}

/** The most states that a log keeps. Each state has its own list of blocks, so keeping all states of a long log takes too much memory. */
const MAX_CHECKPOINTS = 1000

class RecordedLog implements Replay {
  readonly #events: readonly SessionEvent[]
  readonly #checkpoints: SessionConversationState[]
  /** The number of events between two kept states. */
  readonly #interval: number

  constructor(events: readonly SessionEvent[], start: SessionConversationState) {
    this.#events = events
    this.#checkpoints = [start]
    this.#interval = Math.max(1, Math.ceil(events.length / MAX_CHECKPOINTS))
  }

  get length(): number {
    return this.#events.length
  }

  at(count: number): SessionConversationState {
    const place = count < 0 ? this.length + 1 + count : count
    if (!Number.isInteger(place) || place < 0 || place > this.length)
      throw new RangeError(`at(${count}): pass a whole number from ${-this.length - 1} to ${this.length}`)
    const from = Math.floor(place / this.#interval)
    return reduceSessionEvents(this.#checkpoint(from), this.#events.slice(from * this.#interval, place))
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

  #checkpoint(number: number): SessionConversationState {
    let state = this.#checkpoints.at(-1) ?? createInitialConversationState()
    for (let at = this.#checkpoints.length; at <= number; at += 1) {
      state = reduceSessionEvents(state, this.#events.slice((at - 1) * this.#interval, at * this.#interval))
      this.#checkpoints.push(state)
    }
    return this.#checkpoints[number] ?? state
  }
}

import type { SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { isObject, parseJson } from '../../core/json/values.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { isSeq } from '../sync/sequence.ts'
import type { PlacedState, Snapshot } from '../sync/snapshot.ts'
import { LogError } from './log-error.ts'
import type { LoggedEvent } from './session-log.ts'

/** The events that are folded together: a batch is folded faster than its events one by one. */
export const BATCH = 256

/** Returns the state after the events, with their last number. */
export function advance(placed: PlacedState, logged: readonly LoggedEvent[]): PlacedState {
  const last = logged.at(-1)
  if (!last) return placed
  const { seq, digest } = last
  const state = reduceSessionEvents(
    placed.state,
    logged.map(({ event }) => event),
  )
  return { epoch: placed.epoch, seq, ...omitUndefined({ digest }), state }
}

/**
 * Changes no state. A session that starts over has this event before and after the snapshot that replaces its state.
 * The snapshot is one step, so a crash leaves the old session or the new one.
 */
export const STARTS_OVER: SessionEvent = { type: 'session:updated', facts: {} }

/** Tells a reader when to look at the snapshot before it goes on: its name is another one if the session has started over. */
export class StartOverWatch {
  #seq = 0
  #isAfterSign: boolean

  /** Whether the event before the first one may be such a sign. */
  constructor(isAfterSign = false) {
    this.#isAfterSign = isAfterSign
  }

  /** Whether the session may start over with the last event. A snapshot of the state before it would replace the new one. */
  get isAfterSign(): boolean {
    return this.#isAfterSign
  }

  /**
   * Returns whether the event may be another session's: it announces the snapshot, or comes after one that does. An
   * event that comes again is not.
   */
  take({ seq, event }: LoggedEvent): boolean {
    if (seq <= this.#seq) return false
    this.#seq = seq
    const wasAfterSign = this.#isAfterSign
    this.#isAfterSign = event.type === 'session:updated' && Object.keys(event.facts).length === 0
    return wasAfterSign || this.#isAfterSign
  }
}

/**
 * Reads a stored snapshot. A log checks its own field alone; the caller checks the rest with `restore`. Throws a
 * `LogError` (`broken`) that names the place.
 */
export function storedSnapshot(text: string, place: string): Snapshot {
  const value = parseJson(text)
  if (isObject(value) && isSeq(value.seq)) return value as unknown as Snapshot
  throw new LogError('broken', `the snapshot is damaged: ${place}`)
}

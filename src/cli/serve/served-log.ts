import { randomUUID } from 'node:crypto'
import type { SessionEvent } from '../../events/event.ts'
import type { SessionConversationState } from '../../state/session.ts'
import { createSessionStore } from '../../store/store.ts'
import { type Cursor, type StampedEvent, stamp } from '../../sync/sequence.ts'
import { type Snapshot, snapshot } from '../../sync/snapshot.ts'

/** The events of a session with their places, and the state that they give. */
export class ServedLog {
  readonly #store = createSessionStore()
  readonly #listeners = new Set<() => void>()
  #stamped: StampedEvent[] = []
  #cursor: Cursor = firstCursor()
  #latest: { readonly stamped: StampedEvent; readonly json: string } | undefined

  /** The name of the log. Another state starts another log. */
  get epoch(): string {
    return this.#cursor.epoch
  }

  get stamped(): readonly StampedEvent[] {
    return this.#stamped
  }

  append(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const { cursor, stamped } = stamp(this.#cursor, event)
      this.#cursor = cursor
      this.#stamped.push(stamped)
      this.#store.dispatch(event)
    }
    if (events.length > 0) this.#notify()
  }

  /** Returns the event as JSON. The readers of a session that goes on ask for the same one. */
  jsonOf(stamped: StampedEvent): string {
    if (this.#latest?.stamped !== stamped) this.#latest = { stamped, json: JSON.stringify(stamped) }
    return this.#latest.json
  }

  /** Starts another log with that state. A reader of the old log loads a snapshot. */
  replaceState(state: SessionConversationState): void {
    this.#cursor = firstCursor()
    this.#stamped = []
    this.#store.replaceState(state)
    this.#notify()
  }

  /** Folds all events first, so that the state belongs to the place. */
  snapshot(): Snapshot {
    return snapshot({ ...this.#cursor, state: this.#store.flush() })
  }

  /** Calls the listener after each change. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

function firstCursor(): Cursor {
  return { epoch: randomUUID(), seq: 0 }
}

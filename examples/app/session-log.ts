import { randomUUID } from 'node:crypto'
import { createSessionStore, type SessionEvent } from 'agentfold'
import { type Cursor, type Snapshot, type StampedEvent, snapshot, stamp } from 'agentfold/sync'

/** The events of a session with their places, and the state that they give. */
export class SessionLog {
  readonly #store = createSessionStore()
  readonly #listeners = new Set<() => void>()
  readonly #stamped: StampedEvent[] = []
  #cursor: Cursor = { epoch: randomUUID(), seq: 0 }

  get epoch(): string {
    return this.#cursor.epoch
  }

  get stamped(): readonly StampedEvent[] {
    return this.#stamped
  }

  append(event: SessionEvent): void {
    const { cursor, stamped } = stamp(this.#cursor, event)
    this.#cursor = cursor
    this.#stamped.push(stamped)
    this.#store.dispatch(event)
    for (const listener of this.#listeners) listener()
  }

  /** Folds all events first, so that the state belongs to the place. */
  snapshot(): Snapshot {
    return snapshot({ ...this.#cursor, state: this.#store.flush() })
  }

  /** Calls the listener after each event. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

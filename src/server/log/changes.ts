import { Wake } from '../signals.ts'

/** Wakes readers that wait for the next change of a session. */
export class Changes {
  readonly #watches = new Map<string, Set<SessionWatch>>()

  /** Wakes the readers of a session. */
  announce(sessionId: string): void {
    for (const watch of this.#watches.get(sessionId) ?? []) watch.wake()
  }

  /** Wakes every reader. */
  announceAll(): void {
    for (const sessionId of this.#watches.keys()) this.announce(sessionId)
  }

  /** Wakes the readers of a session whose events are gone. */
  announceDeletion(sessionId: string): void {
    for (const watch of this.#watches.get(sessionId) ?? []) watch.isDeleted = true
    this.announce(sessionId)
  }

  /** Begins to watch a session. Call `stop` at the end. */
  watch(sessionId: string): SessionWatch & { readonly stop: () => void } {
    const watch = new SessionWatch()
    const readers = this.#watches.get(sessionId) ?? new Set()
    this.#watches.set(sessionId, readers.add(watch))
    const stop = (): void => {
      watch.wake()
      readers.delete(watch)
      if (readers.size === 0 && this.#watches.get(sessionId) === readers) this.#watches.delete(sessionId)
    }
    return Object.assign(watch, { stop })
  }
}

class SessionWatch extends Wake {
  /** Whether the session was deleted since the watch began. */
  isDeleted = false
}

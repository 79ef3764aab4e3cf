/** Wakes readers that wait for the next change of a session. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Wakes the readers of a session. */
  announce(sessionId: string): void {
    for (const wake of this.#waiting.get(sessionId) ?? []) wake()
  }

  /** Wakes every reader. */
  announceAll(): void {
    for (const sessionId of this.#waiting.keys()) this.announce(sessionId)
  }

  /** Begins to wait: `changed` resolves at the next change or when the signal aborts. Call `stop` at the end. */
  listen(
    sessionId: string,
    signal: AbortSignal | undefined,
  ): { readonly changed: Promise<void>; readonly stop: () => void } {
    const readers = this.#waiting.get(sessionId) ?? new Set()
    this.#waiting.set(sessionId, readers)
    let wake = (): void => {}
    const changed = new Promise<void>((resolve) => {
      wake = () => resolve()
    })
    readers.add(wake)
    signal?.addEventListener('abort', wake)
    const stop = (): void => {
      signal?.removeEventListener('abort', wake)
      readers.delete(wake)
      if (readers.size === 0 && this.#waiting.get(sessionId) === readers) this.#waiting.delete(sessionId)
    }
    return { changed, stop }
  }
}

/** The listeners of each session. */
export class SessionListeners<Value> {
  readonly #listeners = new Map<string, Set<(value: Value) => void>>()

  /** Returns a function that ends the subscription. */
  add(sessionId: string, listener: (value: Value) => void): () => void {
    const own = (value: Value): void => listener(value)
    const all = this.#listeners.get(sessionId) ?? new Set()
    this.#listeners.set(sessionId, all.add(own))
    return () => {
      all.delete(own)
      if (all.size === 0 && this.#listeners.get(sessionId) === all) this.#listeners.delete(sessionId)
    }
  }

  has(sessionId: string): boolean {
    return this.#listeners.has(sessionId)
  }

  /** Calls every listener of the session. Throws what the first one that fails throws, after all were called. */
  call(sessionId: string, value: Value): void {
    const errors: unknown[] = []
    for (const listener of this.#listeners.get(sessionId) ?? [])
      try {
        listener(value)
      } catch (error) {
        errors.push(error)
      }
    if (errors.length > 0) throw errors[0]
  }
}

/** Choices of the reader that the page keeps apart from its rows, because rows out of view are not in it. */
export class Choices {
  readonly #listeners = new Set<() => void>()
  /** Grows with each change. */
  version = 0

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  protected changed(): void {
    this.version += 1
    for (const listener of this.#listeners) listener()
  }
}

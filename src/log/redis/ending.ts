/** Ends what waits when the reader's signal aborts or the log closes. */
export class Ending {
  readonly #listeners = new Set<() => void>()
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
    for (const listener of this.#listeners) listener()
  }

  /** Returns the result, or undefined if the end comes first. */
  async before<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return new Promise<Result | undefined>((resolve, reject) => {
      const stop = (): void => resolve(undefined)
      this.#listeners.add(stop)
      void work.then(resolve, reject).finally(() => this.#listeners.delete(stop))
    })
  }
}

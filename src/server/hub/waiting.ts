/** Waits for the results of a work, one after the other. A wait in vain leaves nothing behind, however many there are. */
export class Waiting<Result> {
  readonly #start: () => Promise<Result>
  #work: Promise<Result> | undefined
  #isSettled = false
  #wake = (): void => {}

  constructor(start: () => Promise<Result>) {
    this.#start = start
  }

  /** Returns the next result, or undefined if it does not come within that many milliseconds. The next call then waits for the same one. */
  async next(ms: number): Promise<Result | undefined> {
    this.#work ??= this.#begin()
    await this.#settledWithin(ms)
    if (!this.#isSettled) return undefined
    const work = this.#work
    this.#work = undefined
    this.#isSettled = false
    return work
  }

  #begin(): Promise<Result> {
    const work = this.#start()
    const settle = (): void => {
      this.#isSettled = true
      this.#wake()
    }
    work.then(settle, settle)
    return work
  }

  #settledWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isSettled) return resolve()
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

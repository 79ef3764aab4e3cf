/** A limited number of places, which are given in the order of the calls. */
export class Places {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(free: number) {
    this.#free = free
  }

  /** Resolves with a function that gives the place back. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return () => this.#leave()
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}

/** The time of one connection. Its signal aborts when the outer signal does, or when nothing comes for `silenceMs`. */
export class Attempt {
  readonly #ending = new AbortController()
  readonly #outer: AbortSignal
  /** The longest time without a sign, in ms. */
  silenceMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(outer: AbortSignal, silenceMs: number) {
    this.#outer = outer
    this.silenceMs = silenceMs
    outer.addEventListener('abort', this.end)
    this.showLife()
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Something came. */
  showLife(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.end, this.silenceMs)
  }

  /** Resolves as the work does, or rejects when the time is over: headers and a `fetch` of somebody else may ignore the signal. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason))
      work.then(resolve, reject)
    })
  }

  readonly end = (): void => {
    clearTimeout(this.#timer)
    this.#outer.removeEventListener('abort', this.end)
    this.#ending.abort()
  }
}

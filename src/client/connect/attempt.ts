import { onAbort } from '../../server/signals.ts'

/** The time of one connection. Its signal aborts when the outer signal does, or when nothing comes for `silenceMs`. */
export class Attempt {
  readonly #ending = new AbortController()
  /** The longest time without a sign, in ms. */
  silenceMs: number
  #leaveOuter = (): void => {}
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(outer: AbortSignal, silenceMs: number) {
    this.silenceMs = silenceMs
    this.showLife()
    this.#leaveOuter = onAbort(outer, this.end)
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
      onAbort(this.signal, () => reject(this.signal.reason))
      work.then(resolve, reject)
    })
  }

  readonly end = (): void => {
    clearTimeout(this.#timer)
    this.#leaveOuter()
    this.#ending.abort()
  }
}

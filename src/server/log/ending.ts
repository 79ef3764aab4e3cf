import { LogError } from './log-error.ts'

/** An end that comes once. It lets go of everything that waits. */
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

  /** Calls the function at the end, or now if it has come. Returns a function that takes the call back. */
  listen(listener: () => void): () => void {
    if (this.#isOver) listener()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the result, or undefined if the end comes first. */
  before<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      const stop = this.listen(() => resolve(undefined))
      void work.then(resolve, reject).finally(stop)
    })
  }

  /** Returns the items until the end comes. It does not wait for an item that never comes. */
  async *during<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void> {
    const iterator = items[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.before(iterator.next())
        if (!next || next.done) return
        yield next.value
      }
    } finally {
      void iterator.return?.().catch(() => {})
    }
  }

  /** Resolves after that many milliseconds, or at the end. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        stop()
        resolve()
      }, ms)
      const stop = this.listen(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}

/** Returns the result, or rejects with a `LogError` (`silent`) if it does not come within that many milliseconds. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LogError('silent', `the log does not answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

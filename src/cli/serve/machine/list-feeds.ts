import { setTimeout as delay } from 'node:timers/promises'
import { Wake } from '../../../server/signals.ts'
import type { ListLine } from './listed-session.ts'

/** A reader of the list. It keeps the newest line of each session until the reader takes it. */
class ListFeed implements AsyncIterable<ListLine> {
  readonly #lines = new Map<string, ListLine>()
  readonly #signal: AbortSignal
  #failure: { readonly error: unknown } | undefined
  readonly #news = new Wake()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  take(key: string, line: ListLine): void {
    this.#lines.set(key, line)
    this.#news.wake()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#news.wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ListLine, void> {
    const signal = this.#signal
    while (!signal.aborted) {
      for (const [key, line] of this.#lines) {
        this.#lines.delete(key)
        yield line
      }
      if (this.#failure) throw this.#failure.error
      if (this.#lines.size === 0) await this.#news.next({ signal })
    }
  }
}

/** All readers of the list. */
export class ListFeeds {
  readonly #readers = new Set<ListFeed>()

  get size(): number {
    return this.#readers.size
  }

  /** Adds a reader that ends with the signal. */
  add(signal: AbortSignal): ListFeed {
    const reader = new ListFeed(signal)
    this.#readers.add(reader)
    return reader
  }

  delete(reader: ListFeed): void {
    this.#readers.delete(reader)
  }

  take(key: string, line: ListLine): void {
    for (const reader of this.#readers) reader.take(key, line)
  }

  fail(error: unknown): void {
    for (const reader of this.#readers) reader.fail(error)
  }
}

/** Does some work after it is asked for, and again if it is asked for meanwhile. The work gets at most half of the time. */
export class Refreshing {
  readonly #work: () => Promise<void>
  readonly #signal: AbortSignal
  readonly #fail: (error: unknown) => void
  #isAsked = false
  #isWorking = false

  constructor(
    work: () => Promise<void>,
    { signal, fail }: { readonly signal: AbortSignal; readonly fail: (error: unknown) => void },
  ) {
    this.#work = work
    this.#signal = signal
    this.#fail = fail
  }

  soon(): void {
    this.#isAsked = true
    if (this.#isWorking) return
    this.#isWorking = true
    void this.#loop()
      .catch(this.#fail)
      .finally(() => {
        this.#isWorking = false
      })
  }

  async #loop(): Promise<void> {
    let lastMs = 0
    while (this.#isAsked && !this.#signal.aborted) {
      await delay(Math.max(100, lastMs), undefined, { signal: this.#signal, ref: false }).catch(() => {})
      this.#isAsked = false
      const start = performance.now()
      await this.#work()
      lastMs = performance.now() - start
    }
  }
}

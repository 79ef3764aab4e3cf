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

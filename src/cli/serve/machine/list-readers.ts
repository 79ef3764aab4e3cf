import type { ListLine } from './listed-session.ts'

/** A reader of the list. It keeps the newest line of each session until the reader takes it. */
class ListReader implements AsyncIterable<ListLine> {
  readonly #lines = new Map<string, ListLine>()
  readonly #signal: AbortSignal
  #failure: { readonly error: unknown } | undefined
  #wake: () => void = () => {}

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  take(key: string, line: ListLine): void {
    this.#lines.set(key, line)
    this.#wake()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ListLine, void> {
    const end = () => this.#wake()
    this.#signal.addEventListener('abort', end)
    try {
      while (!this.#signal.aborted) {
        for (const [key, line] of this.#lines) {
          this.#lines.delete(key)
          yield line
        }
        if (this.#failure) throw this.#failure.error
        if (this.#lines.size === 0 && !this.#signal.aborted) await this.#next()
      }
    } finally {
      this.#signal.removeEventListener('abort', end)
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** All readers of the list. */
export class ListReaders {
  readonly #readers = new Set<ListReader>()

  get size(): number {
    return this.#readers.size
  }

  /** Adds a reader that ends with the signal. */
  add(signal: AbortSignal): ListReader {
    const reader = new ListReader(signal)
    this.#readers.add(reader)
    return reader
  }

  delete(reader: ListReader): void {
    this.#readers.delete(reader)
  }

  take(key: string, line: ListLine): void {
    for (const reader of this.#readers) reader.take(key, line)
  }

  fail(error: unknown): void {
    for (const reader of this.#readers) reader.fail(error)
  }
}

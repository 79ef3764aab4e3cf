import type { JsonValue } from '../../core/json/values.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import { textOfError } from './hub-error.ts'

/** The output of a program. */
export type PipeInput = AsyncIterable<unknown> | Iterable<unknown> | ReadableStream<unknown>

/** The options of `pipe`. */
export interface PipeOptions {
  /** The wire of the output. By default the hub detects it. */
  readonly architecture?: ArchitectureName
  /**
   * The result of `saveReader`. `pipe` rejects with a `LogError` (`wrong-seq`, or `lost-events` for another log) if the
   * log has other events.
   */
  readonly saved?: SavedReader
  /**
   * Why the program has failed, if it has: it is no command, or its exit code is not 0. Undefined otherwise. A turn that
   * had not ended by itself is then `failed` with these words, and so is a session without output. The pipe waits for it
   * at the end of the output. A promise that rejects has failed with the words of its error, and so has an output that
   * breaks.
   */
  readonly failure?: PromiseLike<string | undefined>
}

/** A reader that goes on with the output of a program, as JSON. */
export interface SavedReader {
  /** The log's name. */
  readonly epoch: string
  /** The number of the last event that the reader has published. */
  readonly seq: number
  readonly session: JsonValue
}

/** Whether the value is an output, and no stream that has a reader. */
export function isReadable(value: unknown): value is PipeInput {
  if (typeof value !== 'object' || value === null) return false
  if ('getReader' in value) return !('locked' in value && value.locked)
  return Symbol.asyncIterator in value || Symbol.iterator in value
}

/** The next piece of an output. At the end, the value is the reason why the output broke off, if it did. */
type Piece = IteratorResult<unknown, string | undefined>

/**
 * An output that is read from the tick of its creation on, one piece ahead. Node drops the output of a process that ends
 * before anybody reads it.
 */
export class PipeOutput {
  readonly #pieces: AsyncGenerator<unknown, undefined>
  #first: Promise<Piece> | undefined

  constructor(readable: PipeInput) {
    // Not every browser can iterate over a stream.
    this.#pieces = 'getReader' in readable ? chunksIn(readable.getReader()) : itemsOf(readable)
    this.#first = this.#take()
  }

  next(): Promise<Piece> {
    const piece = this.#first ?? this.#take()
    this.#first = undefined
    return piece
  }

  /** Ends the output before its end. */
  async return(): Promise<void> {
    await this.#pieces.return(undefined).catch(() => {})
  }

  #take(): Promise<Piece> {
    return this.#pieces.next().catch((reason: unknown) => {
      return { done: true, value: `the output broke off: ${textOfError(reason)}` }
    })
  }
}

async function* itemsOf(
  items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<unknown, undefined> {
  yield* items
  return undefined
}

async function* chunksIn(reader: ReadableStreamDefaultReader<unknown>): AsyncGenerator<unknown, undefined> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
  return undefined
}

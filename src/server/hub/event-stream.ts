import { Wake } from '../signals.ts'

/** The largest piece of a stream, in UTF-16 units. */
export const PIECE = 65_536

/** The texts of a message, which belong together, some of them encoded. They may be shared with other readers. */
export type MessageTexts = readonly (string | Uint8Array)[]

const ENCODER = new TextEncoder()

/** Returns short texts as one piece that is encoded once for all readers. */
export function joinedIfShort(texts: MessageTexts): MessageTexts {
  const [piece = '', ...others] = piecesOf(texts)
  return others.length === 0 ? [encoded(piece)] : texts
}

function encoded(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? ENCODER.encode(piece) : piece
}

/** The pieces that the streams of a hub send before the event loop takes its next turn. */
const PIECES_PER_TURN = 128

/** Lets the event loop go on between the pieces of all streams of a hub: a thousand readers with much to read would stop the server. */
export class Turns {
  #pieces = 0
  #next: Promise<void> | undefined

  /** Resolves when a stream may send its next piece. */
  async take(): Promise<void> {
    while (this.#pieces >= PIECES_PER_TURN) {
      this.#next ??= new Promise((resolve) => {
        setTimeout(() => {
          this.#pieces = 0
          this.#next = undefined
          resolve()
        })
      })
      await this.#next
    }
    this.#pieces += 1
  }
}

interface StreamOptions {
  readonly turns: Turns
  readonly heartbeatMs: number
  readonly stallMs: number
  readonly cancel: () => void
}

/**
 * Returns the messages as a stream that takes the next piece only when its reader has taken the last one, so that a
 * slow reader fills no memory. A comment comes after `heartbeatMs` without a message: it keeps proxies from closing
 * the connection, and shows the reader that the server is there. The stream fails if its reader takes nothing for
 * `stallMs`: such a reader would hold its snapshot for ever.
 */
export function eventStream(
  messages: AsyncGenerator<MessageTexts, void>,
  { turns, heartbeatMs, stallMs, cancel }: StreamOptions,
): ReadableStream<Uint8Array> {
  const waiting = new Waiting(() => messages.next())
  let pieces = piecesOf([])
  const nextPiece = async (): Promise<string | Uint8Array | undefined> => {
    for (;;) {
      const piece = pieces.next()
      if (!piece.done) return piece.value
      const message = await waiting.next(heartbeatMs)
      if (!message) return ':\n\n'
      if (message.done) return undefined
      pieces = piecesOf(message.value)
    }
  }
  let stall: ReturnType<typeof setTimeout> | undefined
  const end = (): void => {
    clearTimeout(stall)
    pieces = piecesOf([])
    cancel()
    // A message that waits for its reader waits no more.
    void messages.return()
  }
  const watch = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    stall = setTimeout(() => {
      end()
      controller.error(
        new Error(`the reader of a session took nothing for ${stallMs} ms: it may connect again`),
      )
    }, stallMs)
  }
  return new ReadableStream<Uint8Array>(
    {
      start: watch,
      async pull(controller) {
        clearTimeout(stall)
        await turns.take()
        const piece = await nextPiece()
        if (piece === undefined) return controller.close()
        controller.enqueue(encoded(piece))
        watch(controller)
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

/** Yields the texts in pieces. Short texts are one piece. */
function* piecesOf(texts: MessageTexts): Generator<string | Uint8Array, void> {
  let short = ''
  for (const text of texts) {
    if (typeof text === 'string' && short.length + text.length <= PIECE) {
      short += text
      continue
    }
    if (short !== '') yield short
    short = ''
    if (typeof text !== 'string') yield text
    else
      for (let start = 0; start < text.length; ) {
        const end = endOfPiece(text, start)
        yield text.slice(start, end)
        start = end
      }
  }
  if (short !== '') yield short
}

/** Both halves of a surrogate pair stay in one piece. */
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE
  const isPair = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff
  return isPair ? end - 1 : end
}

/** Waits for the results of a work, one after the other. A wait in vain leaves nothing behind, however many there are. */
class Waiting<Result> {
  readonly #start: () => Promise<Result>
  #work: Promise<Result> | undefined
  #isSettled = false
  readonly #settled = new Wake()

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
      this.#settled.wake()
    }
    work.then(settle, settle)
    return work
  }

  async #settledWithin(ms: number): Promise<void> {
    if (!this.#isSettled) await this.#settled.next({ ms })
  }
}

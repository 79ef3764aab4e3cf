import { Waiting } from './waiting.ts'

/** The largest piece of a stream, in UTF-16 units. */
const PIECE = 65_536

/** The texts of a message, which belong together. A long one may be shared with other readers. */
export type MessageTexts = readonly string[]

/**
 * Returns the messages as a stream that takes the next piece only when its reader has taken the last one, so that a slow reader fills no memory. A
 * comment comes after `heartbeatMs` without a message: it keeps proxies from closing the connection, and shows the reader that the server is there.
 */
export function eventStream(
  messages: AsyncGenerator<MessageTexts, void>,
  { heartbeatMs, cancel }: { readonly heartbeatMs: number; readonly cancel: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const waiting = new Waiting(() => messages.next())
  let pieces: Iterator<string> = piecesOf([])
  const nextPiece = async (): Promise<string | undefined> => {
    for (;;) {
      const piece = pieces.next()
      if (!piece.done) return piece.value
      const message = await waiting.next(heartbeatMs)
      if (!message) return ':\n\n'
      if (message.done) return undefined
      pieces = piecesOf(message.value)
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await nextPiece()
        if (piece === undefined) controller.close()
        else controller.enqueue(encoder.encode(piece))
      },
      cancel: () => {
        cancel()
        // A message that waits for its reader waits no more.
        void messages.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Yields the texts in pieces. A short message is one piece. */
function* piecesOf(texts: MessageTexts): Generator<string, void> {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  for (const text of length <= PIECE ? [texts.join('')] : texts)
    for (let start = 0; start < text.length; ) {
      const end = endOfPiece(text, start)
      yield text.slice(start, end)
      start = end
    }
}

/** Both halves of a surrogate pair stay in one piece. */
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE
  const isPair = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff
  return isPair ? end - 1 : end
}

/**
 * Returns the messages as a stream that takes the next one only when its reader has taken the last one, so that a slow reader fills no memory. A comment
 * comes after `heartbeatMs` without a message: it keeps proxies from closing the connection, and shows the reader that the server is there.
 */
export function eventStream(
  messages: AsyncGenerator<string, void>,
  { heartbeatMs, cancel }: { readonly heartbeatMs: number; readonly cancel: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next: ReturnType<typeof messages.next> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= messages.next()
        const result = await before(next, heartbeatMs)
        if (!result) return controller.enqueue(encoder.encode(':\n\n'))
        next = undefined
        if (result.done) controller.close()
        else controller.enqueue(encoder.encode(result.value))
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
}

/** Returns the result, or undefined if it does not come within that many milliseconds. */
function before<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Answers with one line of JSON for each value, as soon as it is there. The values end with the reader. */
export function jsonLines(values: AsyncGenerator<unknown, void>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await values.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      },
      cancel: async () => void (await values.return()),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } })
}

import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers requests as web standards have them, for example a hub. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>
}

/** The options of `nodeHandler`. */
export interface NodeHandlerOptions {
  /** Gets each error of the handler. The reader then gets the status 500, or its connection breaks. By default it is a warning of the process. */
  readonly onError?: (error: unknown) => void
}

/**
 * Returns a listener for `createServer` of `node:http`, and for Express. It waits for a slow reader, and ends the response when its reader has gone.
 * The handler gets no body. The signal of its request aborts when the connection ends.
 */
export function nodeHandler(
  handler: FetchHandler,
  { onError = (error) => process.emitWarning(String(error)) }: NodeHandlerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(handler, request, response).catch((error: unknown) => {
      onError(error)
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  }
}

async function answer(
  handler: FetchHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const { status, headers, body } = await handler.fetch(requestOf(request, gone.signal))
  const reader = body?.getReader()
  // A reader that has gone has sent no error.
  response.on('error', () => {})
  response.on('close', () => void reader?.cancel().catch(() => {}))
  response.writeHead(status, Object.fromEntries(headers))
  response.flushHeaders()
  while (reader && !response.destroyed) {
    const { done, value } = await reader.read()
    if (done) break
    if (!response.write(value)) await drained(response)
  }
  response.end()
}

function requestOf(
  { method = 'GET', url = '/', headers, socket }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  const scheme = 'encrypted' in socket ? 'https' : 'http'
  const address = new URL(url, `${scheme}://${headers.host ?? 'localhost'}`)
  return new Request(address, { method, headers: pairs, signal })
}

/** Resolves when the reader has taken what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end)
      response.off('close', end)
      resolve()
    }
    response.on('drain', end)
    response.on('close', end)
    if (response.destroyed) end()
  })
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** Answers requests as web standards have them, for example a hub. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>
}

/** The options of `nodeHandler`. */
export interface NodeHandlerOptions {
  /**
   * Gets each error of the handler. The reader then gets the status 500, or its connection breaks. By default it is a
   * warning of the process, and so is the error of `onError` itself.
   */
  readonly onError?: ((error: unknown) => void) | ((error: unknown) => Promise<void>)
}

/**
 * Returns a listener for `createServer` of `node:http` and `node:http2`, and for Express. It waits for a slow reader,
 * and ends the response when its reader has gone. The signal of the handler's request aborts when the connection
 * ends. A request without a right address gets the status 400. A body that a parser of Express has read is passed on
 * as JSON.
 */
export function nodeHandler(
  handler: FetchHandler,
  { onError = warn }: NodeHandlerOptions = {},
): (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  const report = async (error: unknown): Promise<void> => onError(error)
  return (request, response) => {
    answer(handler, request, response).catch((error: unknown) => {
      report(error).catch(warn)
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end()
    })
  }
}

function warn(error: unknown): void {
  process.emitWarning(String(error))
}

/** The fields that responses of HTTP/1.1 and HTTP/2 have in common. */
interface OutgoingResponse {
  writeHead(status: number, headers?: Record<string, string>): { end(): unknown }
  /** The type of an HTTP/2 response does not name it. */
  flushHeaders?(): void
  write(piece: Uint8Array): boolean
  end(): unknown
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

async function answer(
  handler: FetchHandler,
  incoming: IncomingMessage | Http2ServerRequest,
  response: OutgoingResponse,
): Promise<void> {
  const gone = new AbortController()
  const request = requestOf(incoming, gone.signal)
  if (!request) return void response.writeHead(400).end()
  // A request that nobody holds is collected, and its signal is then silent.
  const held = { request, gone }
  response.on('close', () => held.gone.abort())
  // A reader that has gone has sent no error.
  response.on('error', () => {})
  const { status, headers, body } = await handler.fetch(request)
  const reader = body?.getReader()
  gone.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}))
  // A body that fails while its reader takes nothing ends the wait for that reader.
  reader?.closed.catch(() => gone.abort())
  if (gone.signal.aborted) return void (await reader?.cancel())
  response.writeHead(status, Object.fromEntries(headers))
  response.flushHeaders?.()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    if (!response.write(value)) await drained(response, gone.signal)
  }
  response.end()
}

/** Returns undefined for a request that has no address, or that web standards do not have, such as `TRACE`. */
function requestOf(incoming: IncomingMessage | Http2ServerRequest, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', headers, socket } = incoming
  const pairs = Object.entries(headers)
    // HTTP/2 has the method and the address among its headers.
    .filter(([name]) => !name.startsWith(':'))
    .flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each]))
  const scheme = 'encrypted' in socket ? 'https' : 'http'
  const base = `${scheme}://${headers.host ?? headers[':authority'] ?? 'localhost'}`
  try {
    const init: RequestInit = { method, headers: pairs, signal }
    if (method === 'GET' || method === 'HEAD') return new Request(addressOf(url, base), init)
    const withBody: RequestInit & { readonly duplex: 'half' } = {
      ...init,
      body: bodyOf(incoming),
      duplex: 'half',
    }
    return new Request(addressOf(url, base), withBody)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/**
 * The host is that of the header, which a page cannot choose: `//other/s` is a path. A whole address must have the same
 * host (RFC 9112, section 3.2.2). Throws a `TypeError` for a wrong address.
 */
function addressOf(target: string, base: string): URL {
  const address = new URL(target.startsWith('/') ? base + target : target, base)
  if (address.origin !== new URL(base).origin) throw new TypeError('the address has another host')
  return address
}

/** The body is read as its reader takes it, so a long one fills no memory. */
function bodyOf(incoming: IncomingMessage | Http2ServerRequest): string | ReadableStream<Uint8Array> {
  if (incoming.readableEnded && 'body' in incoming) return JSON.stringify(incoming.body)
  const chunks = incoming[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(new Uint8Array(value))
      },
      // The connection stays open for the answer.
      cancel: () => void incoming.resume(),
    },
    { highWaterMark: 0 },
  )
}

/** Resolves when the reader has taken what was written, or has gone. */
function drained(response: OutgoingResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end)
      gone.removeEventListener('abort', end)
      resolve()
    }
    response.on('drain', end)
    gone.addEventListener('abort', end)
    if (gone.aborted) end()
  })
}

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { FollowUpdate } from '../../node/follow/follow-session.ts'
import { type FetchHandler, nodeHandler } from '../../node/node-handler.ts'
import type { Architecture } from '../../programs/program.ts'
import { createSessionHub } from '../../server/hub/session-hub.ts'
import { contentSecurityPolicy } from '../page/html-report.ts'
import { readPipe } from '../read-path.ts'
import { isMachinePage, LIST, Machine, type MachineOptions } from './machine/machine.ts'
import { HTML, INCOMPLETE, MESSAGE_HEADERS, NOT_FOUND, NOTHING } from './message-pages.ts'
import { FollowedWriter, SessionWriter } from './session-writer.ts'

export interface ServedSession extends RunningServer {
  /** The file has no session yet. */
  readonly isWaiting?: boolean
  /** Resolves when the session has no more content: at the end of a pipe, or after `signal`. Rejects if the session cannot be read. */
  readonly ended: Promise<void>
}

interface ServeOptions extends Pick<ServerOptions, 'page' | 'report' | 'ports'> {
  /** Hides keys, passwords, addresses and home folders. */
  readonly redact?: true | undefined
  /** Ends the following of a file. */
  readonly signal: AbortSignal
}

interface FileFacts {
  /** The title that the program or the person gave the session. */
  readonly title?: string | undefined
  /** When the session changed last. */
  readonly updatedAt?: string | undefined
  /** Returns the time in ms since the epoch. The default is `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Serves the session at the path, and follows it while it grows. Throws a `TranscriptError` before it serves a file
 * that it cannot read.
 */
export async function serveFile(
  path: string,
  { signal, redact, title, updatedAt, now = Date.now, ...options }: ServeOptions & FileFacts,
): Promise<ServedSession> {
  const hub = createSessionHub()
  const writer = new SessionWriter({ hub, sessionId: SESSION_ID, redact, title })
  const session = new FollowedWriter(writer, { path, updatedAt, now, signal })
  try {
    const first = await session.next()
    const follow = async () => {
      while (await session.next());
    }
    const served = await serveWhile(follow, { ...options, content: onlySession(hub) })
    return { ...served, isWaiting: first !== undefined && isUnknown(first) }
  } catch (error) {
    // A watcher that goes on would keep the process alive.
    await session.close()
    throw error
  }
}

/** Whether no content has shown a format yet. The place of a long session is dear. */
function isUnknown({ events, saveProgress }: FollowUpdate): boolean {
  return events.length === 0 && saveProgress() === undefined
}

/** Serves the list of all sessions of this machine, and each of them. */
export async function serveMachine({
  page,
  report,
  ports,
  ...options
}: ServeOptions & Pick<MachineOptions, 'home' | 'now' | 'openIndex' | 'isOfTeam'>): Promise<ServedSession> {
  const content = new Machine(options)
  const { url, ...server } = await startServer({
    ...{ page, report, isPage: isMachinePage, hasContent: (path) => content.has(path), content, ports },
  })
  const close = async () => {
    await server.close()
    await content.close()
  }
  return { url: `${url}${LIST}`, close, ended: Promise.resolve() }
}

/** Serves the session of a pipe. */
export async function servePipe(
  chunks: AsyncIterable<Uint8Array | string>,
  {
    format,
    redact,
    ...options
  }: Pick<ServeOptions, 'page' | 'report' | 'ports' | 'redact'> & {
    readonly format: Architecture | undefined
  },
): Promise<ServedSession> {
  const hub = createSessionHub()
  const writer = new SessionWriter({ hub, sessionId: SESSION_ID, redact })
  const read = async () => {
    await readPipe(chunks, format, { onEvents: (events) => writer.write({ events, startsOver: false }) })
    await writer.written
  }
  return serveWhile(read, { ...options, content: onlySession(hub) })
}

/** Reads only if the server starts, because an open pipe would keep the process alive. */
async function serveWhile(read: () => Promise<void>, options: ServerOptions): Promise<ServedSession> {
  const server = await startServer(options)
  const ended = read()
  // The caller awaits it later. Until then, a failure must not crash the program.
  ended.catch(() => {})
  return { ...server, ended }
}

/** The id of the only session of a server, which is the last part of its address. */
export const SESSION_ID = 'session'

/** Answers for the events of the only session, and for nothing else. */
export function onlySession(hub: FetchHandler): FetchHandler {
  return {
    fetch: async (request) => {
      const [, , ...path] = new URL(request.url).pathname.split('/')
      return path.join('/') === `events/${SESSION_ID}`
        ? hub.fetch(request)
        : new Response(null, { status: 404 })
    },
  }
}

/** The default is the page at the first address, and a random token. */
export interface ServerOptions
  extends Pick<Routes, 'page' | 'report' | 'content'>,
    Partial<Pick<Routes, 'isPage' | 'hasContent' | 'token'>> {
  /** The ports to try, in order. 0 is any free one, and the default. */
  readonly ports?: readonly number[] | undefined
}

export interface RunningServer {
  /** The first address, with the token. */
  readonly url: string
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

/** Serves a page and its content, on this computer alone. Rejects if each of the ports is in use. */
export async function startServer({
  page,
  report,
  isPage = (path) => path === '',
  hasContent = async () => true,
  content,
  ports = [0],
  token = randomBytes(18).toString('base64url'),
}: ServerOptions): Promise<RunningServer> {
  const shown = report === undefined ? page : offeringReport(page)
  const routes = { page: shown, report, isPage, hasContent, content, token }
  const server = createServer((request, response) => answer(routes, request, response))
  await listen(server, ports)
  return { url: `http://127.0.0.1:${portOf(server)}/${token}/`, close: () => close(server) }
}

async function listen(server: Server, [port = 0, ...others]: readonly number[]): Promise<void> {
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if (others.length === 0) throw error
    await listen(server, others)
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null)
    throw new TypeError('the server does not listen on a port')
  return address.port
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/** The content of a server, and the token of its readers. */
interface Routes {
  /** The HTML of the page. */
  readonly page: string
  /** The HTML of a report without its session. The page adds what it shows, and saves it. */
  readonly report?: string | undefined
  /** Whether an address shows the page. It comes without the token. */
  readonly isPage: (path: string) => boolean
  /** Whether the address of a page has something to show. */
  readonly hasContent: (path: string) => Promise<boolean>
  /** Answers the requests for all other addresses, for example for the events of a session. */
  readonly content: FetchHandler
  /** The first part of each address. A reader without it gets nothing. */
  readonly token: string
}

/** Answers a request. */
function answer(routes: Routes, request: IncomingMessage, response: ServerResponse): void {
  const [path = '/'] = (request.url ?? '/').split('?')
  const [, token = '', ...rest] = path.split('/')
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
  if (!isLocal(request)) refuse(response, 403)
  else if (!isSame(token, routes.token)) refuse(response, 403, INCOMPLETE)
  else if (rest.length === 0) refuse(response, 404, INCOMPLETE)
  else if (request.method !== 'GET') refuse(response, 405)
  else if (routes.report !== undefined && rest.join('/') === 'report') {
    response.writeHead(200, { 'content-type': TEXT })
    response.end(routes.report)
  } else if (routes.isPage(rest.join('/'))) nodeHandler(pageOf(routes, rest.join('/')))(request, response)
  else
    nodeHandler(isLink(request.headers) ? withNotFoundPage(routes.content) : routes.content)(
      request,
      response,
    )
}

/** The page has a button that saves a report. */
function offeringReport(page: string): string {
  return page.replace('<html ', '<html data-report ')
}

/** A person who follows a link to nothing gets a page. The page's own requests get the status alone. */
function withNotFoundPage(content: FetchHandler): FetchHandler {
  return {
    fetch: async (request) => {
      const response = await content.fetch(request)
      return response.status === 404 ? notFoundPage() : response
    },
  }
}

function notFoundPage(): Response {
  return new Response(NOT_FOUND, { status: 404, headers: MESSAGE_HEADERS })
}

/**
 * Whether the request comes from this computer and from the page itself. A web site may have a host name that points
 * to this address (DNS rebinding), or send requests to this address from its own page. So may the server of another
 * port, which is the same site.
 */
function isLocal({ headers, headersDistinct }: IncomingMessage): boolean {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = headers
  // Programs disagree about which of two hosts counts (RFC 9112, section 3.2).
  const isOwnHost = headersDistinct.host?.length === 1 && /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host)
  const isOwnOrigin = origin === undefined || origin === `http://${host}`
  return isOwnHost && isOwnOrigin && (site === 'none' || site === 'same-origin' || isLink(headers))
}

/** Whether the browser follows a link in a window of its own, and not in a frame. */
function isLink({
  'sec-fetch-mode': mode,
  'sec-fetch-dest': target = 'document',
}: IncomingHttpHeaders): boolean {
  return mode === 'navigate' && target === 'document'
}

/** Takes the same time for every wrong token. */
function isSame(token: string, expected: string): boolean {
  const [left, right] = [Buffer.from(token), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Answers with the page, unless its address is of nothing. */
function pageOf({ page, hasContent }: Routes, path: string): FetchHandler {
  return {
    fetch: async () => {
      if (!(await hasContent(path))) return notFoundPage()
      const policy = `${contentSecurityPolicy(page)}; frame-ancestors 'none'`
      return new Response(page, { headers: { 'content-type': HTML, 'content-security-policy': policy } })
    },
  }
}

function refuse(response: ServerResponse, status: 403 | 404 | 405, body = ''): void {
  response.writeHead(status, {
    ...(body !== '' && MESSAGE_HEADERS),
    ...(status === 405 && { allow: 'GET' }),
  })
  response.end(body)
}

/** A report without its session is no page. */
const TEXT = 'text/plain; charset=utf-8'

/** Keeps other sites from the session, and the session's content from running scripts or loading files. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': NOTHING,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

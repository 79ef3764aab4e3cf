import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { EventStream, type EventStreamOptions } from './event-stream.ts'
import type { SessionLog } from './session-log.ts'

export interface Routes extends EventStreamOptions {
  readonly log: SessionLog
  readonly page: ReadonlyMap<string, Uint8Array>
  /** Called when a reader connects. */
  readonly onReader: () => void
}

/** Answers a request. */
export function answer(routes: Routes, request: IncomingMessage, response: ServerResponse): void {
  const [path = '/'] = (request.url ?? '/').split('?')
  const file = routes.page.get(path === '/' ? '/index.html' : path)
  if (!isLocal(request)) refuse(response, 403)
  else if (path !== '/events' && path !== '/snapshot' && !file) refuse(response, 404)
  else if (request.method !== 'GET') refuse(response, 405)
  else if (file) send(response, typeOf(path), file)
  else if (path === '/snapshot') send(response, TYPES.json, JSON.stringify(routes.log.snapshot()))
  else follow(routes, request, response)
}

function follow(routes: Routes, request: IncomingMessage, response: ServerResponse): void {
  new EventStream(routes.log, request, response, routes).open()
  routes.onReader()
}

/** Keeps a session private: a web site with a host name that points to this address must not read it. */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  const isLoopback = socket.localAddress === '127.0.0.1' || socket.localAddress === '::1'
  return !isLoopback || /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? '')
}

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const

function typeOf(path: string): string {
  const extension = extname(path)
  if (extension === '.css') return TYPES.css
  return extension === '.js' ? TYPES.js : TYPES.html
}

function send(response: ServerResponse, type: string, body: string | Uint8Array): void {
  response.writeHead(200, { 'content-type': type, ...HEADERS })
  response.end(body)
}

function refuse(response: ServerResponse, status: 403 | 404 | 405): void {
  response.writeHead(status, { ...HEADERS, ...(status === 405 && { allow: 'GET' }) })
  response.end()
}

/** Keeps the content of a session from running scripts, loading files or sending requests. */
const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

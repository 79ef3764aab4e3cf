import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type FetchHandler, nodeHandler } from '../../node/node-handler.ts'
import { contentSecurityPolicy } from '../page/html-report.ts'

/** The content of a server, and the token of its readers. */
export interface Routes {
  /** The HTML of the page. */
  readonly page: string
  /** Whether an address shows the page. It comes without the token. */
  readonly isPage: (path: string) => boolean
  /** Answers the requests for all other addresses, for example for the events of a session. */
  readonly content: FetchHandler
  /** The first part of each address. A reader without it gets nothing. */
  readonly token: string
}

/** Answers a request. */
export function answer(routes: Routes, request: IncomingMessage, response: ServerResponse): void {
  const [path = '/'] = (request.url ?? '/').split('?')
  const [, token = '', ...rest] = path.split('/')
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
  if (!isLocal(request)) refuse(response, 403)
  else if (!isSame(token, routes.token)) refuse(response, 403, INCOMPLETE)
  else if (rest.length === 0) refuse(response, 404, INCOMPLETE)
  else if (request.method !== 'GET') refuse(response, 405)
  else if (routes.isPage(rest.join('/'))) sendPage(routes, response)
  else nodeHandler(routes.content)(request, response)
}

/**
 * Whether the request comes from this computer and from the page itself. A web site may have a host name that points to this address
 * (DNS rebinding), or send requests to this address from its own page. So may the server of another port, which is the same site.
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

function sendPage({ page }: Routes, response: ServerResponse): void {
  const policy = `${contentSecurityPolicy(page)}; frame-ancestors 'none'`
  response.writeHead(200, { 'content-type': HTML, 'content-security-policy': policy })
  response.end(page)
}

function refuse(response: ServerResponse, status: 403 | 404 | 405, body = ''): void {
  response.writeHead(status, {
    ...(body !== '' && {
      'content-type': HTML,
      'content-security-policy': `${NOTHING}; style-src ${STYLE_HASH}`,
    }),
    ...(status === 405 && { allow: 'GET' }),
  })
  response.end(body)
}

const HTML = 'text/html; charset=utf-8'

const NOTHING = "default-src 'none'; frame-ancestors 'none'"

/** Keeps other sites from the session, and the session's content from running scripts or loading files. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': NOTHING,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The colours and letters of the page. */
const STYLE =
  ':root{color-scheme:light dark}body{max-width:37rem;margin:4rem auto;padding:0 1.25rem;background:light-dark(#fcfbf9,#17181a);color:light-dark(#24221f,#e6e3dd);font:1rem/1.6 system-ui,sans-serif}h1{font-size:1.25rem}'

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

const INCOMPLETE = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The address is not complete</title>
<style>${STYLE}</style>
<main>
<h1>The address is not complete</h1>
<p>Open the whole address that <code>agentfold serve</code> printed. It ends with a secret that keeps the session private, and each start has a new one.</p>
</main>
</html>
`

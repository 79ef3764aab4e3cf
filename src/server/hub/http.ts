import type { JsonObject } from '../../core/json/values.ts'
import { isLogError } from '../log/log-error.ts'
import { DAMAGED, type HubErrorCode, isHubErrorCode } from './hub-error.ts'

const STATUS: Readonly<Record<HubErrorCode, number>> = {
  'no-such-session': 404,
  'no-such-request': 404,
  'not-pending': 409,
  'no-answer-taken': 422,
  'not-delivered': 502,
  'wrong-answer': 422,
  'malformed-event': 422,
}

/** The answer to a request that a hub refuses. A person reads the message. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly code?: HubErrorCode
}

/** Returns the refusal for a `HubError`, or for a log that is damaged. Throws any other error. */
export function refusalOf(error: unknown): Refusal {
  // An entry point of CommonJS has a class of its own, so `instanceof` is wrong here.
  if (error instanceof Error && 'code' in error && isHubErrorCode(error.code))
    return { status: STATUS[error.code], code: error.code, message: error.message }
  if (isLogError(error, ['broken'])) return { status: 422, message: DAMAGED }
  throw error
}

/**
 * Returns the refusal to read a session whose log fails, whatever the reason: no other session suffers from it, and no page
 * gets the words. A page tries again unless the log is damaged. Throws the error of a log that is closed.
 */
export function unreadable(error: unknown): Refusal {
  if (isLogError(error, ['closed'])) throw error
  const isDamaged =
    isLogError(error, ['broken']) || (error instanceof Error && error.name === 'SnapshotError')
  return { status: isDamaged ? 422 : 503, message: DAMAGED }
}

/** Whether a repeated request would get the same refusal: not after a timeout, and not where the server asks to wait. */
export function isFinalRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status)
}

/**
 * Whether the page of another site sends the request: a browser says so, and sends the cookies of this one with it. A
 * program says nothing.
 */
export function isOfOtherSite({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'cross-site'
  const origin = headers.get('origin')
  if (origin === null) return false
  return !URL.canParse(origin) || new URL(origin).host !== new URL(url).host
}

/** Whether the request says that it sends JSON. A form cannot, and the script of another origin needs this server's leave. */
export function isJson({ headers }: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
}

export const NO_JSON = { message: 'send application/json' }

export function json(status: number, value: JsonObject): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })
}

/**
 * Returns the text of a request, or undefined if it has more bytes. It reads no more than that. Of a body that breaks off
 * it returns what came.
 */
export async function limitedText(request: Request, mostBytes: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length')) > mostBytes) return undefined
  const reader = request.body?.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  while (reader) {
    // Half of a JSON text is none, so the caller refuses it.
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const)
    if (done) break
    bytes += value.length
    if (bytes > mostBytes) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

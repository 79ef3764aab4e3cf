import { isObject, isString, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { RequestAnswer } from '../../core/state/request.ts'
import type { PersonAnswer } from './answered-request.ts'
import { HubError, type HubErrorCode } from './hub-error.ts'

/** The largest body of an answer, in bytes. */
const MOST_BYTES = 65_536

const STATUS: Readonly<Record<HubErrorCode, number>> = {
  'no-such-session': 404,
  'no-such-request': 404,
  'not-pending': 409,
  'no-answer-taken': 422,
  'wrong-answer': 422,
  'malformed-event': 422,
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

/** Answers a `POST` with a person's answer. */
export async function postAnswer(
  request: Request,
  answer: (answer: PersonAnswer) => Promise<unknown>,
): Promise<Response> {
  const body = await bodyOf(request)
  if (body instanceof Response) return body
  try {
    await answer(body)
    return json(200, {})
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return json(STATUS[error.code], { code: error.code, message: error.message })
  }
}

async function bodyOf(request: Request): Promise<PersonAnswer | Response> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? ''))
    return json(415, { message: 'send the answer as application/json' })
  const text = await shortText(request)
  if (text === undefined) return json(413, { message: `an answer has at most ${MOST_BYTES} bytes` })
  const body = parseJson(text)
  const answer = isObject(body) ? body.answer : undefined
  return isAnswer(answer) ? answer : json(400, { message: 'send { "answer": … }, as hub.answer takes it' })
}

/** Returns undefined for a body that is too long. */
async function shortText(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get('content-length')) > MOST_BYTES) return undefined
  const reader = request.body?.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (bytes > MOST_BYTES) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

function isAnswer(value: unknown): value is PersonAnswer {
  return isRequestAnswer(value) || (isObject(value) && isDecision(value))
}

function isRequestAnswer(value: unknown): value is RequestAnswer {
  return (
    isString(value) ||
    (Array.isArray(value) && value.every((labels) => Array.isArray(labels) && labels.every(isString)))
  )
}

/** Unknown fields are refused: a misspelt `denied` must not allow a call. */
function isDecision({ answer, denied, comment, content, ...rest }: JsonObject): boolean {
  return (
    Object.keys(rest).length === 0 &&
    (answer === undefined || isRequestAnswer(answer)) &&
    (denied === undefined || denied === true) &&
    (comment === undefined || isString(comment)) &&
    (content === undefined || isObject(content)) &&
    (answer !== undefined || denied === true)
  )
}

function json(status: number, value: JsonObject): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })
}

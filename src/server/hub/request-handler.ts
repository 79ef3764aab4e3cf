import { isObject, isString, type JsonObject, parseJson } from '../../core/json/values.ts'
import type { RequestAnswer } from '../../core/state/request.ts'
import { isLogError } from '../log/log-error.ts'
import { ownSignals } from '../signals.ts'
import type { PersonAnswer } from './answered-request.ts'
import { eventStream, type MessageTexts, Turns } from './event-stream.ts'
import {
  isJson,
  isOfOtherSite,
  json,
  limitedText,
  NO_JSON,
  type Refusal,
  refusalOf,
  unreadable,
} from './http.ts'
import { HubError, noSuchSession } from './hub-error.ts'
import { marksOf, message, messagesFor, placeOf, placesOf, type Route, routeOf } from './messages.ts'
import type { SessionList } from './session-list.ts'
import type { HubSessionSummary } from './session-summary.ts'
import type { Sessions } from './sessions.ts'

/** The wish of a request for a session. A reader that may `answer` may give it prompts too. */
export type HubAction = 'read' | 'answer' | 'list'

/** The options for the requests of pages. */
export interface RequestOptions {
  /**
   * Whether the sender of the request may read the session, answer its requests and give it prompts, or see it in the list. The hub
   * answers 403 otherwise, and leaves the session out of the list. By default everybody may.
   */
  readonly authorize?: (request: Request, sessionId: string, action: HubAction) => boolean | Promise<boolean>
  /** Whether there is such a session. The hub answers 404 for others. By default each session may begin later. */
  readonly exists?: (sessionId: string) => boolean | Promise<boolean>
  /** The time after which a silent stream sends a comment, in ms. The default is 15,000. */
  readonly heartbeatMs?: number
  /** The time after which a stream fails whose reader takes nothing, in ms. A page connects again by itself. The default is 60,000. */
  readonly stallMs?: number
}

/** The parts of a hub that the requests of pages need. */
interface HandlerOptions extends Required<RequestOptions> {
  readonly sessions: Sessions
  readonly list: SessionList
  readonly answer: (sessionId: string, requestId: string, given: PersonAnswer) => Promise<unknown>
  readonly prompt: (sessionId: string, prompt: string) => Promise<unknown>
}

/** Returns what answers the requests of pages: streams of sessions and of the list, and answers and prompts of a person. */
export function requestHandler({
  authorize,
  exists,
  heartbeatMs,
  stallMs,
  sessions,
  list,
  answer,
  prompt,
}: HandlerOptions): (request: Request) => Promise<Response> {
  const turns = new Turns()

  const refusalFor = async (
    request: Request,
    sessionId: string,
    action: HubAction,
  ): Promise<Refusal | undefined> => {
    if (!(await authorize(request, sessionId, action))) return NOT_ALLOWED
    return (await isThere(sessionId)) ? undefined : refusalOf(noSuchSession())
  }

  /** `exists` may ask the log, and a session that cannot be read is there. */
  const isThere = async (sessionId: string): Promise<boolean> => {
    try {
      return await exists(sessionId)
    } catch (error) {
      const isReadable = await sessions
        .get(sessionId)
        .current()
        .then(
          () => true,
          () => false,
        )
      if (isReadable || isLogError(error, ['closed'])) throw error
      return true
    }
  }

  const refusalToRead = async (request: Request, sessionId: string): Promise<Refusal | undefined> => {
    const refusal = await refusalFor(request, sessionId, 'read')
    if (refusal) return refusal
    try {
      // A log that fails is an error of this call, and not of a stream that has begun.
      await sessions.get(sessionId).current()
      return undefined
    } catch (error) {
      return unreadable(error)
    }
  }

  const readOne = async (request: Request, sessionId: string): Promise<Response> => {
    const refusal = await refusalToRead(request, sessionId)
    if (refusal) return refused(refusal)
    return streamOf((signal) => messagesFor(() => sessions.get(sessionId), placeOf(request), signal))
  }

  const readSeveral = async (
    request: Request,
    { sessionIds, hasList }: Extract<Route, { readonly to: 'sessions' }>,
  ): Promise<Response> => {
    const places = placesOf(request)
    const refusals = await Promise.all(
      sessionIds.map(async (id) => [id, await refusalToRead(request, id)] as const),
    )
    const [[, first] = []] = refusals
    if (!hasList && first && refusals.every(([, refusal]) => refusal)) return refused(first)
    return streamOf((signal) => {
      const nextSignal = ownSignals(signal)
      const messages = refusals.map(([id, refusal]) =>
        refusal
          ? refusedMessage(id, refusal)
          : messagesFor(() => sessions.get(id), places.get(id), nextSignal(), marksOf(id)),
      )
      return merged(hasList ? [...messages, listFor(request, nextSignal())] : messages)
    })
  }

  async function* listFor(request: Request, signal: AbortSignal): AsyncGenerator<MessageTexts, void> {
    const allowed = new Map<string, boolean>()
    const mayList = async ({ id }: HubSessionSummary): Promise<boolean> => {
      const isAllowed = allowed.get(id) ?? !(await refusalFor(request, id, 'list'))
      allowed.set(id, isAllowed)
      return isAllowed
    }
    let isFirst = true
    for await (const summaries of list.changes(signal)) {
      const shown: HubSessionSummary[] = []
      for (const summary of summaries) if (await mayList(summary)) shown.push(summary)
      if (isFirst) yield message({ event: 'sessions', data: [JSON.stringify(shown)] })
      else for (const summary of shown) yield message({ event: 'session', data: [JSON.stringify(summary)] })
      isFirst = false
    }
  }

  const streamOf = (messages: (signal: AbortSignal) => AsyncGenerator<MessageTexts, void>): Response => {
    const closed = new AbortController()
    const options = { turns, heartbeatMs, stallMs, cancel: () => closed.abort() }
    return new Response(eventStream(messages(closed.signal), options), { headers: HEADERS })
  }

  return async (request) => {
    const route = routeOf(request)
    if (!route || isIcon(request) || (route.to !== 'sessions' && hasReservedId(route)))
      return new Response(null, { status: 404 })
    if (route.to === 'request' || route.to === 'prompts') {
      const { sessionId } = route
      if (isOfOtherSite(request)) return refused(NOT_ALLOWED)
      const refusal = await refusalFor(request, sessionId, 'answer')
      if (refusal) return refused(refusal)
      return route.to === 'prompts'
        ? post(request, PROMPT, (text) => prompt(sessionId, text))
        : post(request, ANSWER, (given) => answer(sessionId, route.requestId, given))
    }
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } })
    return route.to === 'session' ? readOne(request, route.sessionId) : readSeveral(request, route)
  }
}

/** A browser asks for the icon of each page. As a session it would hold one of the six connections of the browser. */
function isIcon({ url }: Request): boolean {
  return new URL(url).pathname.endsWith('/favicon.ico')
}

/** The address of a prompt for a session `requests` is that of a request `prompts`. */
function hasReservedId(route: Exclude<Route, { readonly to: 'sessions' }>): boolean {
  const ids = [route.sessionId, route.to === 'request' ? route.requestId : '']
  return ids.some((id) => id === 'requests' || id === 'prompts')
}

const NOT_ALLOWED: Refusal = { status: 403, message: 'You have no leave for this session.' }

function refused({ status, ...body }: Refusal): Response {
  return json(status, body)
}

async function* refusedMessage(session: string, refusal: Refusal): AsyncGenerator<MessageTexts, void> {
  yield message({ event: 'refused', data: [JSON.stringify({ session, ...refusal })] })
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** A value that waits for the reader, and what lets its source go on. */
interface Ready<Value> {
  readonly value: Value
  readonly release: () => void
}

/**
 * Yields the values of all sources as they come. Each source makes its next value when the reader has taken the last
 * one, so a slow reader fills no memory. It ends when all sources have ended, and fails if one of them does.
 */
async function* merged<Value>(sources: readonly AsyncGenerator<Value, void>[]): AsyncGenerator<Value, void> {
  const ready: Ready<Value>[] = []
  let wake = (): void => {}
  let running = sources.length
  let failure: { readonly error: unknown } | undefined
  const pump = async (source: AsyncGenerator<Value, void>): Promise<void> => {
    try {
      for await (const value of source)
        await new Promise<void>((release) => {
          ready.push({ value, release })
          wake()
        })
    } catch (error) {
      failure ??= { error }
    } finally {
      running -= 1
      wake()
    }
  }
  for (const source of sources) void pump(source)
  try {
    for (;;) {
      const next = ready.shift()
      if (next) {
        yield next.value
        next.release()
      } else if (failure) throw failure.error
      else if (running === 0) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    for (const source of sources) void source.return()
    for (const { release } of ready) release()
  }
}

/** The body that a person sends. */
interface Body<Value> {
  readonly mostBytes: number
  /** Returns the value in a body; undefined if it has none. */
  readonly valueIn: (body: JsonObject) => Value | undefined
  /** Returns the words for the sender of another body. */
  readonly refusalOf: (body: unknown) => string
}

const ANSWER: Body<PersonAnswer> = {
  mostBytes: 65_536,
  // A refusal beside the answer must not allow a call.
  valueIn: ({ answer, ...rest }) => (isAnswer(answer) && Object.keys(rest).length === 0 ? answer : undefined),
  refusalOf: () => 'send { "answer": … }, as hub.answer takes it',
}

/** A person may paste a whole file. */
const PROMPT: Body<string> = {
  mostBytes: 2 ** 20,
  valueIn: ({ prompt }) => (isString(prompt) && prompt.trim() !== '' ? prompt : undefined),
  refusalOf: (body) =>
    isObject(body) && isString(body.prompt)
      ? 'The prompt is empty: "prompt" has no words.'
      : 'send { "prompt": … } as JSON: the prompt is a text',
}

/** Takes what a person sends by `POST`. */
async function post<Value>(
  request: Request,
  { mostBytes, valueIn, refusalOf: wordsFor }: Body<Value>,
  take: (value: Value) => Promise<unknown>,
): Promise<Response> {
  if (!isJson(request)) return json(415, NO_JSON)
  const text = await limitedText(request, mostBytes)
  if (text === undefined) return json(413, { message: `It is too long: send at most ${mostBytes} bytes.` })
  const body = parseJson(text)
  const value = isObject(body) ? valueIn(body) : undefined
  if (value === undefined) return json(400, { message: wordsFor(body) })
  try {
    await take(value)
    return json(200, {})
  } catch (error) {
    return refused(refusalOf(error))
  }
}

/** Throws a `HubError` for a value that is no answer of a person. */
export function requireAnswer(value: unknown): void {
  if (isAnswer(value)) return
  throw new HubError('wrong-answer', 'Pass an option, the labels of each question, or a decision.')
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

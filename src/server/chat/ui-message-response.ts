import { checksumOf } from '../../core/json/checksum.ts'
import { copyJson } from '../../core/json/depth.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../core/json/values.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import { toUIMessages } from '../../sinks/ai-sdk/messages/to-ui-messages.ts'
import type { SessionUIChunk } from '../../sinks/ai-sdk/stream/ui-chunk.ts'
import { uiMessageSink } from '../../sinks/ai-sdk/stream/ui-message-sink.ts'
import type { AISDKVersion } from '../../sinks/ai-sdk/version.ts'
import { isOfOtherSite, json, limitedText, refusalOf } from '../hub/http.ts'
import { onAbort } from '../signals.ts'
import { AnswerStream } from './answer-stream.ts'

/** The parts of a `SessionHub` that a chat needs. */
export interface ChatHub {
  state(sessionId: string): Promise<SessionConversationState | undefined>
  follow(
    sessionId: string,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<SessionConversationState>
  prompt(sessionId: string, prompt: string): Promise<void>
  answer(
    sessionId: string,
    requestId: string,
    answer: string | { readonly denied: true; readonly comment?: string },
  ): Promise<unknown>
}

/** The options of `uiMessageResponse`. */
export interface UIMessageResponseOptions {
  /**
   * The request of `useChat`. A `POST` sends the approvals to `hub.answer`, and the last prompt to `hub.onPrompt` unless the
   * session has it, and streams what follows. An address that ends with `/messages` gets all messages. Any other request resumes the
   * answer that the model writes now: with the `etag` of the messages as `if-none-match`, no change between the two
   * requests is missed.
   */
  readonly request?: Request
  /** The major version of `ai` that the page uses. The default is 7. */
  readonly version?: AISDKVersion
}

/**
 * Answers a request of `useChat` for any session of a hub: the stream of the answer that the model writes now, from
 * its start. It ends where the page has to load the messages again, or to send an approval. Without an answer, and
 * while the session waits for an approval, a `GET` gets the status 204 at the next change. A `POST` of a page of
 * another site gets 403, one without messages or without a text 400, one of more than 16 MiB 413, one with files
 * 415, and one that the hub does not take the status of its `HubError`.
 * Check first whether the person may use the session.
 */
export async function uiMessageResponse(
  hub: ChatHub,
  sessionId: string,
  { request, version = 7 }: UIMessageResponseOptions = {},
): Promise<Response> {
  const { pathname = '' } = request ? new URL(request.url) : {}
  if (request?.method === 'POST' && isOfOtherSite(request)) return new Response(null, { status: 403 })
  const body = request?.method === 'POST' ? await limitedText(request, MOST_BYTES) : ''
  if (body === undefined) return json(413, TOO_LARGE)
  const messages = asArray(asObject(parseJson(body)).messages).filter(isObject)
  const last = messages.at(-1)
  if (request?.method === 'POST' && !last) return json(400, NO_MESSAGES)
  const state = (await hub.state(sessionId)) ?? createInitialConversationState()
  const prompt = last && newPrompt(hub, sessionId, last, state, version)
  if (prompt?.hasFiles) return json(415, FILES)
  if (prompt && prompt.text.trim() === '') return json(400, NO_PROMPT)
  if (pathname.endsWith('/messages')) {
    const headers = { etag: tagOf(state, version), 'cache-control': 'no-store' }
    return Response.json(toUIMessages(state, { version }), { headers })
  }
  const closed = new AbortController()
  if (request) onAbort(request.signal, () => closed.abort())
  // It follows first, so that it misses nothing of the answer to this request.
  const states = hub.follow(sessionId, { signal: closed.signal })[Symbol.asyncIterator]()
  const before: SessionConversationState = (await states.next()).value ?? state
  const stream = new AnswerStream(states, version)
  if (last) {
    try {
      const answered = await answerAll(hub, sessionId, messages)
      // Another process may have sent the prompt: behind an approval, it is the last one of the session.
      const isSent = answered > 0 && prompt?.text === lastPrompt(before, version)
      if (prompt) await sendPrompt(hub, sessionId, prompt, isSent)
      if (prompt && !isSent) return streamOf(stream.after(before, true), closed)
      const chunks = answerFor(stream, before, messages, answered > 0)
      if (chunks) return streamOf(chunks, closed)
    } catch (error) {
      closed.abort()
      return refusalOf(error)
    }
    closed.abort()
    return json(409, NOTHING_NEW)
  }
  const chunks = stream.from(before)
  const known = request?.headers.get('if-none-match') ?? undefined
  const isOld = known !== undefined && !hasTag(known, tagOf(before, version))
  const first = isOld ? END : await chunks.next()
  // Without an answer the page waits for any change, and then loads the messages again.
  if (first.done) {
    closed.abort()
    return new Response(null, { status: 204 })
  }
  return streamOf(chunks, closed, first.value)
}

/** Whether a header has the tag, or stands for any. A proxy that compresses makes a weak tag of it, or adds its name to it. */
function hasTag(header: string, tag: string): boolean {
  const tags = header.split(',').map((each) =>
    each
      .trim()
      .replace(/^W\//, '')
      .replace(/-\w+"$/, '"'),
  )
  return tags.some((each) => each === '' || each === '*' || each === tag)
}

const END = { done: true, value: undefined } as const

/** Returns a mark of all messages but the one that the model writes now. Its stream begins with its start. */
function tagOf(state: SessionConversationState, version: AISDKVersion): string {
  const sink = uiMessageSink({ version })
  const { openId } = sink.translate(sink.initial, state).memory
  const messages = toUIMessages(state, { version }).filter(({ id }) => id !== openId)
  return `"${checksumOf(copyJson(messages))}"`
}

/** The most bytes of a `POST`. `useChat` sends all messages of the session with each prompt. */
const MOST_BYTES = 16_777_216

const TOO_LARGE = {
  message: `send at most ${MOST_BYTES} bytes: prepareSendMessagesRequest can leave out the messages before the last answer`,
}

const NO_MESSAGES = { message: 'send { "messages": […] }, as useChat does' }

const NO_PROMPT = { message: 'the last message has no text' }

const FILES = { message: 'a prompt is a text: send files in another way' }

const NOTHING_NEW = {
  code: 'not-pending',
  message: 'the session has all of it already: load the messages again',
}

/**
 * Returns the stream of the answer for a page that sends no new prompt. Nothing is in it if the page has to load the
 * messages again: `useChat` adds what it reads to its last message. Returns undefined if there is no such answer.
 */
function answerFor(
  stream: AnswerStream,
  state: SessionConversationState,
  messages: readonly JsonObject[],
  hasAnswered: boolean,
): AsyncGenerator<SessionUIChunk, void> | undefined {
  const last = messages.at(-1)
  const openId = stream.openId(state)
  if (openId !== undefined && last?.id === openId) return stream.after(state, false)
  const isKnown = messages.some(({ id }) => id === openId)
  if (last?.role === 'user' && openId !== undefined && !isKnown) return stream.from(state)
  const isRunning = hasAnswered || state.turn.status === 'running'
  if (last?.role === 'user' && openId === undefined && isRunning) return stream.after(state, true)
  return hasAnswered || openId !== undefined ? nothing() : undefined
}

async function* nothing(): AsyncGenerator<SessionUIChunk, void> {}

/** Returns the chunks as server-sent events, as the transports of the AI SDK read them. */
function streamOf(
  chunks: AsyncGenerator<SessionUIChunk, void>,
  closed: AbortController,
  first?: SessionUIChunk,
): Response {
  const encoder = new TextEncoder()
  let waiting = first
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = waiting ?? (await chunks.next()).value
        waiting = undefined
        controller.enqueue(encoder.encode(`data: ${chunk ? JSON.stringify(chunk) : '[DONE]'}\n\n`))
        if (chunk) return
        closed.abort()
        controller.close()
      },
      cancel: () => closed.abort(),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: HEADERS })
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
}

interface Prompt {
  readonly text: string
  readonly hasFiles: boolean
  /** The mark under which it counts as sent, if the page gives it an id. */
  readonly mark?: string
}

/** The prompts that pages have sent. A page repeats its own with the next approval, and the session has another id for it. */
const sentPrompts = new WeakMap<ChatHub, Set<string>>()
const MOST_SENT = 1000

/** Returns the prompt of a message, unless the session has the message or got it before. An edited text is a new prompt. */
function newPrompt(
  hub: ChatHub,
  sessionId: string,
  message: JsonObject,
  state: SessionConversationState,
  version: AISDKVersion,
): Prompt | undefined {
  if (message.role !== 'user') return undefined
  const parts = asArray(message.parts).map(asObject)
  const prompt = { text: textOf(parts), hasFiles: parts.some(({ type }) => type === 'file') }
  const id = asString(message.id)
  if (id === undefined) return prompt
  const known = toUIMessages(state, { version }).find((each) => each.id === id)
  if (known && textOf(known.parts) === prompt.text) return undefined
  const mark = checksumOf([sessionId, id, prompt.text])
  return sentPrompts.get(hub)?.has(mark) ? undefined : { ...prompt, mark }
}

async function sendPrompt(
  hub: ChatHub,
  sessionId: string,
  { text, mark }: Prompt,
  isSent: boolean,
): Promise<void> {
  const sent = sentPrompts.get(hub) ?? new Set()
  sentPrompts.set(hub, sent)
  // Before it is sent, so that a page that sends it twice at once sends it once.
  if (mark !== undefined) sent.add(mark)
  for (const oldest of sent) if (sent.size > MOST_SENT) sent.delete(oldest)
  try {
    if (!isSent) await hub.prompt(sessionId, text)
  } catch (error) {
    if (mark !== undefined) sent.delete(mark)
    throw error
  }
}

function lastPrompt(state: SessionConversationState, version: AISDKVersion): string | undefined {
  const last = toUIMessages(state, { version }).findLast(({ role }) => role === 'user')
  return last && textOf(last.parts)
}

function textOf(parts: readonly { readonly type?: unknown; readonly text?: unknown }[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? (asString(part.text) ?? []) : [])).join('\n')
}

/** Sends the answers of the page to requests that wait, and returns their number. */
async function answerAll(hub: ChatHub, sessionId: string, messages: readonly JsonObject[]): Promise<number> {
  let answered = 0
  for (const { state, approval } of messages.flatMap(({ parts }) => asArray(parts).map(asObject)))
    if (state === 'approval-responded' && isObject(approval) && (await answer(hub, sessionId, approval)))
      answered += 1
  return answered
}

/** Returns whether the request took the answer. */
async function answer(
  hub: ChatHub,
  sessionId: string,
  { id, approved, reason }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const requestId = asString(id) ?? ''
  const state = await hub.state(sessionId)
  const request =
    state &&
    [state, ...state.subagents].flatMap(({ blocks }) => blocks).find((block) => block.id === requestId)
  // The page repeats the answers to earlier requests.
  if (request?.type !== 'request' || request.status !== 'pending') return false
  const comment = asString(reason)
  const denied = comment === undefined ? ({ denied: true } as const) : ({ denied: true, comment } as const)
  const allowed = request.options?.[0]?.id ?? 'allow'
  try {
    await hub.answer(sessionId, requestId, approved === true ? allowed : denied)
    return true
  } catch (error) {
    // Somebody else was faster.
    if (isObject(error) && error.code === 'not-pending') return false
    throw error
  }
}

import { checksumOf } from '../../core/json/checksum.ts'
import { copyJson } from '../../core/json/depth.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../core/json/values.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import type { Sink } from '../../core/state/sink.ts'
import { toUIMessages } from '../../sinks/ai-sdk/messages/to-ui-messages.ts'
import type { SessionUIChunk, UIMessageUpdate } from '../../sinks/ai-sdk/stream/ui-chunk.ts'
import { type UIMessageMemory, uiMessageSink } from '../../sinks/ai-sdk/stream/ui-message-sink.ts'
import type { AISDKVersion } from '../../sinks/ai-sdk/version.ts'
import { limitedText } from '../hub/limited-text.ts'
import { isOfOtherSite, json, refusalOf } from '../hub/refusal.ts'
import { onAbort } from '../signals.ts'

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
   * The request of `useChat`. A `POST` sends the last prompt to `hub.onPrompt` and the approvals to `hub.answer`, and
   * streams what follows. An address that ends with `/messages` gets all messages. Any other request resumes the
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
  const last = lastMessage(body)
  if (request?.method === 'POST' && !last) return json(400, NO_MESSAGES)
  const prompt = last?.role === 'user' ? promptIn(last) : undefined
  if (prompt?.hasFiles) return json(415, FILES)
  if (prompt && prompt.text.trim() === '') return json(400, NO_PROMPT)
  const state = (await hub.state(sessionId)) ?? createInitialConversationState()
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
    const isPrompt = prompt !== undefined
    try {
      if (prompt) await hub.prompt(sessionId, prompt.text)
      else await answerAll(hub, sessionId, last)
    } catch (error) {
      closed.abort()
      return refusalOf(error)
    }
    // Somebody else has answered, and the turn is over: the page has to load the messages again.
    if (!isPrompt && !stream.isOpen(before)) {
      closed.abort()
      return json(409, NOT_PENDING)
    }
    return streamOf(stream.after(before, isPrompt), closed)
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

/** The chunks of one answer, as the states of its session come. */
class AnswerStream {
  readonly #states: AsyncIterator<SessionConversationState>
  readonly #sink: Sink<UIMessageMemory, UIMessageUpdate>
  readonly #version: AISDKVersion

  constructor(states: AsyncIterator<SessionConversationState>, version: AISDKVersion) {
    this.#states = states
    this.#sink = uiMessageSink({ version })
    this.#version = version
  }

  /** Whether the model writes an answer. */
  isOpen(state: SessionConversationState): boolean {
    return this.#sink.translate(this.#sink.initial, state).memory.openId !== undefined
  }

  /** Whether the page must send an approval now. It sends none while it reads a stream. The parts of version 5 have no approvals. */
  #asks({ blocks }: SessionConversationState): boolean {
    return (
      this.#version > 5 &&
      blocks.some(
        (block) =>
          block.type === 'request' &&
          block.status === 'pending' &&
          block.kind === 'permission' &&
          block.toolUseId !== undefined,
      )
    )
  }

  /** Yields the answer that is open in the state, from its start. Without one, it ends with the next state. */
  async *from(state: SessionConversationState): AsyncGenerator<SessionUIChunk, void> {
    const { memory, out } = this.#sink.translate(this.#sink.initial, state)
    const { openId } = memory
    if (openId === undefined || this.#asks(state)) return void (await this.#states.next())
    yield* out.flatMap((update) => ownChunk(update, openId) ?? [])
    yield* this.#rest(memory, openId)
  }

  /** Yields what follows the state: the next answer after a prompt, and otherwise the rest of the open one. */
  async *after(state: SessionConversationState, isPrompt: boolean): AsyncGenerator<SessionUIChunk, void> {
    let { memory } = this.#sink.translate(this.#sink.initial, state)
    const before = memory.openId
    if (before !== undefined && !isPrompt) {
      const start = this.#sink
        .translate(this.#sink.initial, state)
        .out.find((update) => ownChunk(update, before)?.type === 'start')
      if (start?.type === 'chunk') yield start.chunk
      return yield* this.#rest(memory, before)
    }
    const known = new Set(answerIds(memory))
    let hasRun = false
    for (;;) {
      const { done, value: next } = await this.#states.next()
      if (done) return
      const step = this.#sink.translate(memory, next)
      memory = step.memory
      const id = answerIds(memory).find((each) => !known.has(each))
      if (id !== undefined) {
        yield* step.out.flatMap((update) => ownChunk(update, id) ?? [])
        if (memory.openId !== id || this.#asks(next)) return
        return yield* this.#rest(memory, id)
      }
      // A program that ends without a word has no answer.
      if (next.turn.status === 'running') hasRun = true
      else if (hasRun) return
    }
  }

  /** Ends where another message changes, or the answer begins anew: the page has to load the messages again. */
  async *#rest(start: UIMessageMemory, openId: string): AsyncGenerator<SessionUIChunk, void> {
    let memory = start
    for (;;) {
      const { done, value } = await this.#states.next()
      if (done) return
      const step = this.#sink.translate(memory, value)
      memory = step.memory
      for (const update of step.out) {
        const chunk = ownChunk(update, openId)
        if (!chunk || chunk.type === 'start') return
        yield chunk
      }
      if (memory.openId !== openId || this.#asks(value)) return
    }
  }
}

/** The most bytes of a `POST`. `useChat` sends all messages of the session with each prompt. */
const MOST_BYTES = 16_777_216

const TOO_LARGE = {
  message: `send at most ${MOST_BYTES} bytes: prepareSendMessagesRequest can leave out all messages but the last`,
}

const NO_MESSAGES = { message: 'send { "messages": […] }, as useChat does' }

const NO_PROMPT = { message: 'the last message has no text' }

const FILES = { message: 'a prompt is a text: send files in another way' }

const NOT_PENDING = {
  code: 'not-pending',
  message: 'no request waits for this answer: load the messages again',
}

/** Returns the ids of the answers. */
function answerIds({ view }: UIMessageMemory): readonly string[] {
  return view?.main.messages.flatMap(({ id, role }) => (role === 'assistant' ? [id] : [])) ?? []
}

function ownChunk(update: UIMessageUpdate, id: string): SessionUIChunk | undefined {
  return update.type === 'chunk' && update.messageId === id ? update.chunk : undefined
}

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

function lastMessage(body: string): JsonObject | undefined {
  const last = asArray(asObject(parseJson(body)).messages).at(-1)
  return isObject(last) ? last : undefined
}

function promptIn(message: JsonObject): { readonly text: string; readonly hasFiles: boolean } {
  const parts = asArray(message.parts).map(asObject)
  const texts = parts.flatMap((part) => (part.type === 'text' ? (asString(part.text) ?? []) : []))
  return { text: texts.join('\n'), hasFiles: parts.some(({ type }) => type === 'file') }
}

/** Sends the answers of the page to requests that wait. */
async function answerAll(hub: ChatHub, sessionId: string, last: JsonObject): Promise<void> {
  for (const { state, approval } of asArray(last.parts).map(asObject)) {
    if (state !== 'approval-responded' || !isObject(approval)) continue
    await answer(hub, sessionId, approval)
  }
}

async function answer(
  hub: ChatHub,
  sessionId: string,
  { id, approved, reason }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const requestId = asString(id) ?? ''
  const state = await hub.state(sessionId)
  const request =
    state &&
    [state, ...state.subagents].flatMap(({ blocks }) => blocks).find((block) => block.id === requestId)
  // The page repeats the answers to earlier requests.
  if (request?.type !== 'request' || request.status !== 'pending') return
  const comment = asString(reason)
  if (approved === true) await hub.answer(sessionId, requestId, request.options?.[0]?.id ?? 'allow')
  else
    await hub.answer(
      sessionId,
      requestId,
      comment === undefined ? { denied: true } : { denied: true, comment },
    )
}

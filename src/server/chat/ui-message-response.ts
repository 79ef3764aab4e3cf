import { checksumOf } from '../../core/json/checksum.ts'
import { copyJson } from '../../core/json/depth.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../core/json/values.ts'
import { sessionStatus } from '../../core/selectors/status.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import { toUIMessages, uiMessageSink } from '../../sinks/ai-sdk/stream/ui-message-sink.ts'
import type { AISDKVersion } from '../../sinks/ai-sdk/version.ts'
import { isJson, isOfOtherSite, limitedText, NO_JSON, refusalOf, unreadable } from '../hub/http.ts'
import { noSuchSession, textOfError } from '../hub/hub-error.ts'
import { onAbort } from '../signals.ts'
import { type AnswerChunk, AnswerStream, untilFailure } from './answer-stream.ts'
import {
  answerOf,
  approvalsIn,
  hasWrongApproval,
  isOfEarlier,
  lostApproval,
  openApprovals,
  type PageApproval,
  requestOf,
} from './page-approvals.ts'
import { textOfParts } from './session-chat.ts'

/** The parts of a `SessionHub` that a chat needs. */
export interface ChatHub {
  exists?(sessionId: string): Promise<boolean>
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
   * The request of `useChat`. A `POST` sends the approvals of the messages, and the one in the field `approval` of the body
   * (`{ id, approved, reason? }`), to `hub.answer`, and the last prompt to `hub.onPrompt` unless the session has it. It
   * streams what follows. An address that ends with `/messages` gets all messages. Any other `GET` resumes the answer that
   * the model writes now: with the `etag` of the messages as `if-none-match`, no change between the two requests is missed.
   */
  readonly request?: Request
  /** The major version of `ai` that the page uses. The default is 7. */
  readonly version?: AISDKVersion
}

/**
 * Answers a request of `useChat` for any session of a hub: the stream of the answer that the model writes now, from
 * its start. It ends where the page has to load the messages again, or to send an approval. Without an answer, and
 * while main waits for an approval, a `GET` gets the status 204 at the next change. A `POST` of a page of
 * another site gets 403, one without messages or without a text 400, one of more than 16 MiB 413, one with files or
 * of another type than `application/json` 415, and one that the hub does not take the status of its `HubError`. The
 * body is the reason. Check first whether the person may use the session.
 */
export async function uiMessageResponse(
  hub: ChatHub,
  sessionId: string,
  { request, version = 7 }: UIMessageResponseOptions = {},
): Promise<Response> {
  const { pathname = '' } = request ? new URL(request.url) : {}
  const isPost = request?.method === 'POST'
  if (request && !isPost && request.method !== 'GET')
    return new Response(null, { status: 405, headers: { allow: 'GET, POST' } })
  if (isPost && isOfOtherSite(request)) return new Response(null, { status: 403 })
  if (isPost && !isJson(request)) return refused(415, NO_JSON.message)
  const text = isPost ? await limitedText(request, MOST_BYTES) : ''
  if (text === undefined) return refused(413, TOO_LARGE)
  const body = asObject(parseJson(text))
  const messages = asArray(body.messages).filter(isObject)
  const last = messages.at(-1)
  if (isPost && !last) return refused(400, NO_MESSAGES)
  if (hasWrongApproval(body)) return refused(400, NO_APPROVAL)
  const found = await Promise.all([hub.exists?.(sessionId) ?? true, hub.state(sessionId)]).catch(unreadable)
  if ('message' in found) return refused(found.status, found.message)
  const [isThere, state = createInitialConversationState()] = found
  if (!isThere) return refused(404, noSuchSession().message)
  const posted = last && newPrompt(sessionId, last, state, version)
  if (posted?.hasFiles) return refused(415, 'a prompt is a text: send files in another way')
  if (posted && posted.text.trim() === '') return refused(400, 'the last message has no text')
  if (pathname.endsWith('/messages')) {
    const etag = `"${tagsOf(state, version).join('.')}"`
    const headers = { etag, 'cache-control': 'no-store', 'session-status': sessionStatus(state) }
    return Response.json(toUIMessages(state, { version }), { headers })
  }
  const closed = new AbortController()
  if (request) onAbort(request.signal, () => closed.abort())
  // It follows first, so that it misses nothing of the answer to this request.
  const states = hub.follow(sessionId, { signal: closed.signal })[Symbol.asyncIterator]()
  // An iterator that nobody asks again would keep the file of its session open.
  onAbort(closed.signal, () => void states.return?.())
  const before: SessionConversationState = (await states.next()).value ?? state
  const approvals = approvalsIn(body)
  const answers = openApprovals(before, approvals)
  const answered = answers.flatMap((each) => requestOf(before, each) ?? [])
  const stream = new AnswerStream(states, { version, before, answered })
  if (last) {
    // Nothing waits between this and the mark of `sendAll`, so of equal requests at once one sends the prompt.
    const prompt = posted && !sentPrompts.get(hub)?.has(posted.mark ?? '') ? posted : undefined
    // Another process may have sent the prompt: behind an approval, it is the last one of the session.
    const isSent = answers.length > 0 && prompt?.text === lastPrompt(before, version)
    const isNew = prompt !== undefined && !isSent
    // A page repeats earlier approvals. So they matter if it sends nothing else.
    const isAlone = prompt === undefined && answers.length === 0
    const lost = lostApproval(
      before,
      approvals.filter((each) => isAlone || each.isNew),
    )
    const chunks = isNew ? stream.after(before, true) : answerFor(stream, before, messages, answers)
    if (lost || !chunks) {
      closed.abort()
      return lost ? refused(refusalOf(lost).status, lost.message) : refused(409, NOTHING_NEW)
    }
    const sending = sendAll(hub, sessionId, { before, answers, prompt, isSent })
    const isOpenAgain = async () => openApprovals((await hub.state(sessionId)) ?? before, answers).length > 0
    try {
      // A listener may run the whole turn, and wait in it for the next approval of the page.
      const first = chunks.next()
      const begun = await Promise.race([first, sending])
      // A prompt may wait behind another turn. The hub reports its later failure.
      if (begun?.done) await Promise.race([sending, isNew ? states.next() : stream.untilGoesOn()])
      return streamOf(untilFailure(chunks, { sending, isOpenAgain }), closed, first)
    } catch (error) {
      closed.abort()
      return refused(refusalOf(error).status, textOfError(error))
    }
  }
  const known = request?.headers.get('if-none-match') ?? undefined
  const isOld = known !== undefined && !hasTag(known, before, stream, version)
  const chunks = isOld ? nothing() : stream.from(before)
  const first = chunks.next()
  // Without an answer the page waits for any change, and then loads the messages again.
  if ((await first).done) {
    closed.abort()
    return new Response(null, { status: 204 })
  }
  return streamOf(chunks, closed, first)
}

/**
 * Whether a header has the tag of the messages, or stands for any. The stream of an answer begins with its start, so the
 * answer may have grown since. A proxy that compresses makes a weak tag of it, or adds its name to it.
 */
function hasTag(
  header: string,
  state: SessionConversationState,
  stream: AnswerStream,
  version: AISDKVersion,
): boolean {
  const [others = '', open = ''] = tagsOf(state, version)
  const tags = header.split(',').map((each) =>
    each
      .trim()
      .replace(/^W\//, '')
      .replace(/-\w+"$/, '"'),
  )
  return tags.some(
    (each) =>
      each === '' ||
      each === '*' ||
      (stream.streamsFromStart(state) ? each.startsWith(`"${others}.`) : each === `"${others}.${open}"`),
  )
}

/** Returns the marks of all messages but the one that the model writes now, and of that one. */
function tagsOf(state: SessionConversationState, version: AISDKVersion): readonly string[] {
  const sink = uiMessageSink({ version })
  const { openId } = sink.translate(sink.initial, state).memory
  const messages = toUIMessages(state, { version })
  return [(id: string) => id !== openId, (id: string) => id === openId].map((isIn) =>
    checksumOf(copyJson(messages.filter(({ id }) => isIn(id)))),
  )
}

/** The most bytes of a `POST`. `useChat` sends all messages of the session with each prompt. */
const MOST_BYTES = 16_777_216

const TOO_LARGE = `send at most ${MOST_BYTES} bytes: prepareSendMessagesRequest can leave out the messages before the last answer`

const NO_MESSAGES = 'send { "messages": […] }, as useChat does'
const NO_APPROVAL = 'send { "approval": { "id": …, "approved": true or false } }'
const NOTHING_NEW = 'the session has all of it already: load the messages again'

/** `useChat` shows the person the body of a refusal as its error, so it is the words alone. */
function refused(status: number, words: string): Response {
  return new Response(words, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}

/**
 * Returns the stream of the answer for a page that sends no new prompt. Nothing is in it if the page has to load the
 * messages again: `useChat` adds what it reads to its last message. Returns undefined if there is no such answer.
 */
function answerFor(
  stream: AnswerStream,
  state: SessionConversationState,
  messages: readonly JsonObject[],
  answers: readonly PageApproval[],
): AsyncGenerator<AnswerChunk, void> | undefined {
  const last = messages.at(-1)
  const hasAnswered = answers.length > 0
  if (answers.some((each) => isOfEarlier(each, messages))) return nothing()
  const openId = stream.openId(state)
  if (openId !== undefined && last?.id === openId) return stream.after(state, false)
  const isKnown = messages.some(({ id }) => id === openId)
  if (last?.role === 'user' && openId !== undefined && !isKnown) return stream.from(state)
  const isRunning = hasAnswered || state.turn.status === 'running'
  if (last?.role === 'user' && openId === undefined && isRunning) return stream.after(state, true)
  return hasAnswered || openId !== undefined ? nothing() : undefined
}

async function* nothing(): AsyncGenerator<AnswerChunk, void> {}

/** Returns the chunks as server-sent events, as the transports of the AI SDK read them. */
function streamOf(
  chunks: AsyncGenerator<AnswerChunk, void>,
  closed: AbortController,
  first: Promise<IteratorResult<AnswerChunk, void>>,
): Response {
  const encoder = new TextEncoder()
  let waiting: typeof first | undefined = first
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value: chunk } = await (waiting ?? chunks.next())
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

/** Returns the prompt of a message, unless the session has the message. An edited text is a new prompt. */
function newPrompt(
  sessionId: string,
  message: JsonObject,
  state: SessionConversationState,
  version: AISDKVersion,
): Prompt | undefined {
  if (message.role !== 'user') return undefined
  const parts = asArray(message.parts).map(asObject)
  const prompt = { text: textOfParts(parts), hasFiles: parts.some(({ type }) => type === 'file') }
  const id = asString(message.id)
  if (id === undefined) return prompt
  const known = toUIMessages(state, { version }).find((each) => each.id === id)
  if (known && textOfParts(known.parts) === prompt.text) return undefined
  return { ...prompt, mark: checksumOf([sessionId, id, prompt.text]) }
}

/** The answers and the prompt of a page that its session does not have. */
interface Sent {
  /** The state in which the answers are open. */
  readonly before: SessionConversationState
  readonly answers: readonly PageApproval[]
  readonly prompt: Prompt | undefined
  /** Whether another process has sent the prompt. */
  readonly isSent: boolean
}

/** Resolves when the program has taken it all. Rejects if it does not. */
async function sendAll(
  hub: ChatHub,
  sessionId: string,
  { before, answers, prompt, isSent }: Sent,
): Promise<undefined> {
  const sent = sentPrompts.get(hub) ?? new Set()
  sentPrompts.set(hub, sent)
  const mark = prompt?.mark
  // Before it is sent, so that a page that sends it twice at once sends it once.
  if (mark !== undefined) sent.add(mark)
  for (const oldest of sent) if (sent.size > MOST_SENT) sent.delete(oldest)
  try {
    await Promise.all(answers.map((approval) => sendApproval(hub, sessionId, { before, approval })))
    if (prompt && !isSent) await hub.prompt(sessionId, prompt.text)
  } catch (error) {
    if (mark !== undefined) sent.delete(mark)
    throw error
  }
}

function lastPrompt(state: SessionConversationState, version: AISDKVersion): string | undefined {
  const last = toUIMessages(state, { version }).findLast(({ role }) => role === 'user')
  return last && textOfParts(last.parts)
}

/** Rejects if somebody else was faster, with another decision. */
async function sendApproval(
  hub: ChatHub,
  sessionId: string,
  { before, approval }: { readonly before: SessionConversationState; readonly approval: PageApproval },
): Promise<void> {
  try {
    await hub.answer(sessionId, approval.id, answerOf(before, approval))
  } catch (error) {
    if (!isObject(error) || error.code !== 'not-pending') throw error
    const lost = lostApproval((await hub.state(sessionId)) ?? before, [approval])
    if (lost) throw lost
  }
}

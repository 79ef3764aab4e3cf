import { flatEvent } from '../../core/events/context.ts'
import type { SessionEvent } from '../../core/events/event.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import type { JsonValue } from '../../core/json/values.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import type { CombinedTranscript } from '../../reading/input/combined.ts'
import { createReader } from '../../reading/reader.ts'
import { loadSession, saveSession } from '../../reading/save-session.ts'
import type { Ending, ReadIssue, Source } from '../../reading/source.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { lostEvents, wrongSeq } from '../log/log-error.ts'
import { createMemoryLog } from '../log/memory-log.ts'
import type { SessionLog } from '../log/session-log.ts'
import { compactEvents } from '../sync/compact-events.ts'
import type { PlacedState } from '../sync/snapshot.ts'
import { answeredRequest, type HubReply } from './answered-request.ts'
import { eventStream, type MessageTexts } from './event-stream.ts'
import { watchAnswers } from './foreign-answers.ts'
import { HubError, noSuchSession } from './hub-error.ts'
import { HubSession, isOutdated } from './hub-session.ts'
import { SessionListeners } from './listeners.ts'
import { merged } from './merged.ts'
import { marksOf, message, messagesFor } from './messages.ts'
import type { PersonAnswer } from './person-answer.ts'
import { placeOf, placesOf, type Route, routeOf } from './place.ts'
import { isOfOtherSite, postAnswer } from './post-answer.ts'
import { SessionList } from './session-list.ts'
import type { HubSessionSummary } from './session-summary.ts'
import { ownSignals } from './signals.ts'

/** What the sender of a request wants of a session. */
export type HubAction = 'read' | 'answer' | 'list'

/** The options of a hub. */
export interface HubOptions {
  /** Keeps the events, so that they survive a restart of the server. By default the hub keeps the last ones in memory. */
  readonly log?: SessionLog
  /**
   * Whether the sender of the request may read the session, answer its requests, or see it in the list. The hub answers 403 otherwise, and leaves the
   * session out of the list. By default everybody may.
   */
  readonly authorize?: (request: Request, sessionId: string, action: HubAction) => boolean | Promise<boolean>
  /** Whether there is such a session. The hub answers 404 for others. By default each session may begin later. */
  readonly exists?: (sessionId: string) => boolean | Promise<boolean>
  /** The time after which a silent stream sends a comment, in ms. The default is 15,000. */
  readonly heartbeatMs?: number
  /** The time after which a stream fails whose reader takes nothing, in ms. A page connects again by itself. The default is 60,000. */
  readonly stallMs?: number
}

/** An update of `followSession`. */
export interface FollowedUpdate {
  readonly events: readonly SessionEvent[]
  /** Whether the events start at the initial state. They then replace what the hub has of the session. */
  readonly startsOver: boolean
}

/** The options of `pipe`. */
export interface PipeOptions {
  /** The wire of the output. By default the hub detects it. */
  readonly architecture?: ArchitectureName
  /** The result of `saveReader`. `pipe` rejects with a `LogError` (`wrong-seq`, or `lost-events` for another log) if the log has other events. */
  readonly saved?: SavedReader
}

/** A reader that goes on with the output of a program, as JSON. */
export interface SavedReader {
  /** The log's name. */
  readonly epoch: string
  /** The number of the last event that the reader has published. */
  readonly seq: number
  readonly session: JsonValue
}

/** The end of an input. */
export interface PipeResult {
  readonly ending: Ending
  readonly issues: readonly ReadIssue[]
}

/** Sends sessions to their readers. */
export interface SessionHub {
  /**
   * Adds events to a session, or an update of `followSession`. Returns the number of the last event once the log has it. Rejects with a `LogError`
   * (`wrong-seq`) if somebody else has written the session meanwhile.
   */
  publish(sessionId: string, input: readonly SessionEvent[] | FollowedUpdate): Promise<number>
  /**
   * Publishes the output of a program until it ends: texts, bytes or messages. It goes on from the state that the hub has. The end of the output
   * interrupts whatever still runs. Without an architecture, the hub detects it.
   */
  pipe(
    sessionId: string,
    readable: AsyncIterable<unknown> | Iterable<unknown> | ReadableStream<unknown>,
    options?: ArchitectureName | PipeOptions,
  ): Promise<PipeResult>
  /**
   * Returns the reader of the session's output as JSON, with its place in the log, for the option `saved` of a later `pipe`. Undefined if no output is read here
   * now. The session in the log is enough but for what a state does not have.
   */
  saveReader(sessionId: string): Promise<SavedReader | undefined>
  /** Returns the state of all events that the log has, whoever wrote them. Undefined if it has none. */
  state(sessionId: string): Promise<SessionConversationState | undefined>
  /** Yields the state of the session, and then each newer one, until the signal aborts. A slow reader gets the newest one. */
  follow(
    sessionId: string,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<SessionConversationState>
  /**
   * Answers an open request: publishes the answered block, and calls the listeners of `onReply` with what the program must be sent. It is also
   * `reply`. Of two answers at once, one wins. Rejects with a `HubError` if the session takes no such answer.
   */
  answer(sessionId: string, requestId: string, answer: PersonAnswer): Promise<{ readonly reply?: HubReply }>
  /**
   * Calls the listener with each reply that the session's program must be sent, also if another hub of the same log took the answer. Returns a function
   * that ends it.
   */
  onReply(sessionId: string, listener: (reply: HubReply) => void): () => void
  /** Sends a person's prompt to the listeners of `onPrompt`. Rejects with a `HubError` (`no-answer-taken`) if there is none. */
  prompt(sessionId: string, prompt: string): Promise<void>
  /** Calls the listener with each prompt for the session's program. Returns a function that ends it. */
  onPrompt(sessionId: string, listener: (prompt: string) => void): () => void
  /** Yields every session, the newest first, and then each one that changes. A session changes at most every 200 ms. */
  sessions(options?: { readonly signal?: AbortSignal }): AsyncIterable<HubSessionSummary>
  /**
   * Reads a session's file, after its stream has ended. The session starts over from it, and the pages get its state. Throws what `readTranscript`
   * throws. Without an architecture, the hub detects it.
   */
  reload(
    sessionId: string,
    transcript: string | CombinedTranscript,
    architecture?: ArchitectureName,
  ): Promise<PipeResult>
  /**
   * Answers a request whose address ends with
   * - `<id>`: one session, a snapshot and then its events, as server-sent events
   * - `events?session=a&session=b&list=1`: several sessions and the list, in one stream
   * - `<id>/requests/<requestId>`: a `POST` of `{ "answer": … }`
   */
  fetch(request: Request): Promise<Response>
  /** Removes a session from the log. Its readers keep what they have, and do not connect again. */
  delete(sessionId: string): Promise<void>
}

/** The most sessions whose states stay in memory while nothing happens to them. */
const KEPT_SESSIONS = 256

/** Returns a hub. It needs nothing but web standards, and each function works without the hub object. */
export function createSessionHub({
  log,
  authorize = () => true,
  exists = () => true,
  heartbeatMs = 15_000,
  stallMs = 60_000,
}: HubOptions = {}): SessionHub {
  const kept = log ?? createMemoryLog()
  const sessions: Sessions = new Sessions(kept, {
    trim: log === undefined,
    onState: (id, state) => list.take(id, state),
  })
  const list: SessionList = new SessionList({
    log: kept,
    sessionOf: (id) => sessions.get(id),
    isShared: log !== undefined,
  })
  const replies = new SessionListeners<HubReply>()
  const prompts = new SessionListeners<string>()
  const pipes = new SessionListeners<HubReply>()
  const readers = new Map<string, () => Promise<SavedReader>>()

  const publish: SessionHub['publish'] = (sessionId, input) => {
    const session = sessions.get(sessionId)
    const isUpdate = 'startsOver' in input
    const events = (isUpdate ? input.events : input).map(flatEvent)
    return isUpdate && input.startsOver ? session.startOver(events) : session.append(events)
  }

  const pipe: SessionHub['pipe'] = async (sessionId, readable, options = {}) => {
    const { architecture, saved } = typeof options === 'string' ? { architecture: options } : options
    const source = await loadSource(architecture)
    const placed = await sessions.get(sessionId).current()
    if (saved) refuseOlder(sessionId, saved, placed)
    const session = saved ? loadSession(source, saved.session) : source.open(placed.state)
    const reader = createReader(source, { session })
    let read = { session, seq: placed.seq }
    const publishRead = async (events: readonly SessionEvent[]): Promise<void> => {
      const { session: own } = reader
      read = { session: own, seq: await publish(sessionId, compactEvents(events)) }
    }
    const save = async (): Promise<SavedReader> => {
      const { epoch } = await sessions.get(sessionId).current()
      return { epoch, seq: read.seq, session: saveSession(read.session) }
    }
    readers.set(sessionId, save)
    let ended: ReturnType<typeof reader.end>
    let isRefused = false
    // Most programs do not repeat an answer, so the reader reads it here.
    const endReplies = pipes.add(sessionId, (reply) => {
      const { events } = reader.push(reply)
      publishRead(events).catch(() => {})
    })
    try {
      for await (const chunk of chunksOf(readable)) {
        isRefused = true
        await publishRead(reader.push(chunk).events)
        isRefused = false
      }
    } finally {
      endReplies()
      if (readers.get(sessionId) === save) readers.delete(sessionId)
      ended = reader.end()
      // If somebody else writes the session, it has another end.
      if (!isRefused) await publish(sessionId, [...ended.events, ...withdrawals(reader.state)])
    }
    return { ending: ended.ending, issues: reader.issues }
  }

  const state: SessionHub['state'] = async (sessionId) => {
    const placed = await sessions.get(sessionId).current()
    return placed.seq === 0 ? undefined : placed.state
  }

  async function* follow(
    sessionId: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionConversationState, void> {
    while (!signal?.aborted) {
      let placed = await sessions.get(sessionId).current()
      yield placed.state
      try {
        const options = omitUndefined({ signal, digest: placed.digest })
        for await (const { seq } of kept.follow(sessionId, placed.seq, options)) {
          if (seq <= placed.seq) continue
          placed = await sessions.get(sessionId).current()
          yield placed.state
        }
        return
      } catch (error) {
        if (!isOutdated(error)) throw error
      }
    }
  }

  const send = (sessionId: string, reply: HubReply): void => {
    if (isMessage(reply)) pipes.call(sessionId, reply)
    replies.call(sessionId, reply)
  }

  const answer: SessionHub['answer'] = async (sessionId, requestId, given) => {
    if (!(await exists(sessionId))) throw noSuchSession(sessionId)
    const { reply } = await sessions.get(sessionId).answer((placed) => {
      if (placed.seq === 0) throw noSuchSession(sessionId)
      return answeredRequest(placed.state, requestId, given)
    })
    send(sessionId, reply)
    return { reply }
  }

  const onReply: SessionHub['onReply'] = (sessionId, listener) => {
    const end = replies.add(sessionId, listener)
    if (log === undefined) return end
    const ended = new AbortController()
    const options = { log, sessionId, sessionOf: () => sessions.get(sessionId), signal: ended.signal }
    const foreign = (reply: HubReply): void => {
      if (isMessage(reply)) pipes.call(sessionId, reply)
      listener(reply)
    }
    // A log that fails shows it in each call of the hub.
    watchAnswers({ ...options, onReply: foreign }).catch(() => {})
    return () => {
      ended.abort()
      end()
    }
  }

  const prompt: SessionHub['prompt'] = async (sessionId, text) => {
    if (!(await exists(sessionId))) throw noSuchSession(sessionId)
    if (!prompts.has(sessionId))
      throw new HubError('no-answer-taken', `${sessionId}: no program takes prompts: call hub.onPrompt`)
    prompts.call(sessionId, text)
  }

  const reload: SessionHub['reload'] = async (sessionId, transcript, architecture) => {
    const { readTranscript } = await import('../../wires/transcript.ts')
    const { events, issues, ending } = architecture
      ? readTranscript(architecture, transcript)
      : readTranscript(transcript)
    await sessions.get(sessionId).startOver(compactEvents(events))
    return { issues, ending }
  }

  const refusalOf = async (
    request: Request,
    sessionId: string,
    action: HubAction,
  ): Promise<403 | 404 | undefined> => {
    if (!(await authorize(request, sessionId, action))) return 403
    return (await exists(sessionId)) ? undefined : 404
  }

  const readOne = async (request: Request, sessionId: string): Promise<Response> => {
    const refusal = await refusalOf(request, sessionId, 'read')
    if (refusal) return new Response(null, { status: refusal })
    // A log that fails is an error of this call, and not of a stream that has begun.
    await sessions.get(sessionId).current()
    return streamOf((signal) => messagesFor(() => sessions.get(sessionId), placeOf(request), signal))
  }

  const readSeveral = async (
    request: Request,
    { sessionIds, hasList }: Extract<Route, { readonly to: 'sessions' }>,
  ): Promise<Response> => {
    const places = placesOf(request)
    const refusals = await Promise.all(
      sessionIds.map(async (id) => [id, await refusalOf(request, id, 'read')] as const),
    )
    const [first] = refusals
    if (!hasList && first && refusals.every(([, refusal]) => refusal))
      return new Response(null, { status: first[1] ?? 403 })
    for (const [id, refusal] of refusals) if (!refusal) await sessions.get(id).current()
    return streamOf((signal) => {
      const nextSignal = ownSignals(signal)
      const messages = refusals.map(([id, refusal]) =>
        refusal
          ? refused(id, refusal)
          : messagesFor(() => sessions.get(id), places.get(id), nextSignal(), marksOf(id)),
      )
      return merged(hasList ? [...messages, listFor(request, nextSignal())] : messages)
    })
  }

  async function* listFor(request: Request, signal: AbortSignal): AsyncGenerator<MessageTexts, void> {
    const allowed = new Map<string, boolean>()
    const mayList = async ({ id }: HubSessionSummary): Promise<boolean> => {
      const isAllowed = allowed.get(id) ?? !(await refusalOf(request, id, 'list'))
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
    const options = { heartbeatMs, stallMs, cancel: () => closed.abort() }
    return new Response(eventStream(messages(closed.signal), options), { headers: HEADERS })
  }

  const fetch: SessionHub['fetch'] = async (request) => {
    const route = routeOf(request)
    if (!route) return new Response(null, { status: 404 })
    if (route.to === 'request') {
      const { sessionId, requestId } = route
      if (isOfOtherSite(request)) return new Response(null, { status: 403 })
      const refusal = await refusalOf(request, sessionId, 'answer')
      if (refusal) return new Response(null, { status: refusal })
      return postAnswer(request, (given) => answer(sessionId, requestId, given))
    }
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } })
    return route.to === 'session' ? readOne(request, route.sessionId) : readSeveral(request, route)
  }

  return {
    publish,
    pipe,
    saveReader: async (sessionId) => readers.get(sessionId)?.(),
    state,
    follow,
    answer,
    onReply,
    prompt,
    onPrompt: (sessionId, listener) => prompts.add(sessionId, listener),
    async *sessions({ signal } = {}) {
      for await (const summaries of list.changes(signal)) yield* summaries
    },
    reload,
    fetch,
    delete: (sessionId) => sessions.get(sessionId).delete(),
  }
}

async function* refused(session: string, status: number): AsyncGenerator<MessageTexts, void> {
  yield message({ event: 'refused', data: [JSON.stringify({ session, status })] })
}

/** A reader that is older than the log would publish texts again that the log has. */
function refuseOlder(sessionId: string, saved: SavedReader, { epoch, seq }: PlacedState): void {
  if (saved.epoch !== epoch) throw lostEvents(sessionId, seq, saved.seq)
  if (saved.seq !== seq) throw wrongSeq(sessionId, saved.seq, seq)
}

/** Whether the reply is a message that the program reads, and not a call of its server. */
function isMessage(reply: HubReply): boolean {
  return !('type' in reply && ['http', 'call', 'answer'].includes(String(reply.type)))
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Returns the events that end what still waits: a program whose output has ended takes no answer. A source that goes on from a state may not know whether
 * the state is that of a file, which may wait.
 */
function withdrawals(state: SessionConversationState): readonly SessionEvent[] {
  const waiting = pendingRequests(state).map(({ conversationId }) => conversationId)
  if (waiting.length === 0) return []
  const agents = state.subagents
    .filter(({ status }) => status === 'running')
    .map(({ toolUseId }) => ({ type: 'subagent:completed', toolUseId, status: 'error', cut: true }) as const)
  const others = waiting.filter((id) => id !== MAIN && !agents.some(({ toolUseId }) => toolUseId === id))
  return [
    ...agents,
    ...others.map((conversationId) => ({ type: 'session:idle', conversationId }) as const),
    { type: 'session:idle', outcome: 'interrupted', cut: true },
  ]
}

async function loadSource(architecture: ArchitectureName | undefined): Promise<Source> {
  return architecture ? sourceOf(architecture) : (await import('../../wires/any-source.ts')).anySource
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(
  readable: AsyncIterable<unknown> | Iterable<unknown> | ReadableStream<unknown>,
): AsyncGenerator<unknown, void> {
  if (!('getReader' in readable)) {
    yield* readable
    return
  }
  const reader = readable.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel()
  }
}

interface SessionsOptions {
  readonly trim: boolean
  readonly onState: (sessionId: string, state: SessionConversationState | undefined) => void
}

/** The sessions that somebody has used, the last ones at the end. */
class Sessions {
  readonly #log: SessionLog
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, HubSession>()

  constructor(log: SessionLog, options: SessionsOptions) {
    this.#log = log
    this.#options = options
  }

  get(sessionId: string): HubSession {
    const session = this.#sessions.get(sessionId) ?? this.#open(sessionId)
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    for (const [oldest, { isIdle }] of this.#sessions) {
      if (this.#sessions.size <= KEPT_SESSIONS) break
      if (isIdle) this.#sessions.delete(oldest)
    }
    return session
  }

  #open(sessionId: string): HubSession {
    const { trim, onState } = this.#options
    return new HubSession(this.#log, sessionId, { trim, onState: (state) => onState(sessionId, state) })
  }
}

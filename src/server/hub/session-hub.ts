import type { SessionEvent } from '../../core/events/event.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import { createReader } from '../../reading/reader.ts'
import type { Ending, ReadIssue, Source } from '../../reading/source.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { createMemoryLog } from '../log/memory-log.ts'
import type { SessionLog } from '../log/session-log.ts'
import { compactEvents } from '../sync/compact-events.ts'
import { eventStream } from './event-stream.ts'
import { HubSession } from './hub-session.ts'
import { messagesFor } from './messages.ts'
import { placeOf, sessionIdOf } from './place.ts'

/** The options of a hub. */
export interface HubOptions {
  /** Keeps the events, so that they survive a restart of the server. By default the hub keeps the last ones in memory. */
  readonly log?: SessionLog
  /** Whether the sender of the request may read the session. The hub answers 403 otherwise. By default everybody may. */
  readonly authorize?: (request: Request, sessionId: string) => boolean | Promise<boolean>
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
    architecture?: ArchitectureName,
  ): Promise<PipeResult>
  /** Answers a `GET` whose address ends with the id of a session: a snapshot, and then its events, as server-sent events. */
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
  heartbeatMs = 15_000,
  stallMs = 60_000,
}: HubOptions = {}): SessionHub {
  const sessions = new Sessions(log ?? createMemoryLog(), { trim: log === undefined })

  const publish: SessionHub['publish'] = (sessionId, input) => {
    const session = sessions.get(sessionId)
    if (!('startsOver' in input)) return session.append(input)
    return input.startsOver ? session.startOver(input.events) : session.append(input.events)
  }

  const pipe: SessionHub['pipe'] = async (sessionId, readable, architecture) => {
    const source = await loadSource(architecture)
    const { state } = await sessions.get(sessionId).current()
    const reader = createReader(source, { session: source.open(state) })
    let ended: ReturnType<typeof reader.end>
    let isRefused = false
    try {
      for await (const chunk of chunksOf(readable)) {
        isRefused = true
        await publish(sessionId, compactEvents(reader.push(chunk).events))
        isRefused = false
      }
    } finally {
      ended = reader.end()
      // If somebody else writes the session, it has another end.
      if (!isRefused) await publish(sessionId, ended.events)
    }
    return { ending: ended.ending, issues: reader.issues }
  }

  const answer: SessionHub['fetch'] = async (request) => {
    const sessionId = sessionIdOf(request)
    if (sessionId === undefined) return new Response(null, { status: 404 })
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } })
    if (!(await authorize(request, sessionId))) return new Response(null, { status: 403 })
    // A log that fails is an error of this call, and not of a stream that has begun.
    await sessions.get(sessionId).current()
    const closed = new AbortController()
    const messages = messagesFor(() => sessions.get(sessionId), placeOf(request), closed.signal)
    const options = { heartbeatMs, stallMs, cancel: () => closed.abort() }
    return new Response(eventStream(messages, options), { headers: HEADERS })
  }

  return { publish, pipe, fetch: answer, delete: (sessionId) => sessions.get(sessionId).delete() }
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
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

/** The sessions that somebody has used, the last ones at the end. */
class Sessions {
  readonly #log: SessionLog
  readonly #trim: boolean
  readonly #sessions = new Map<string, HubSession>()

  constructor(log: SessionLog, { trim }: { readonly trim: boolean }) {
    this.#log = log
    this.#trim = trim
  }

  get(sessionId: string): HubSession {
    const session = this.#sessions.get(sessionId) ?? new HubSession(this.#log, sessionId, this.#trim)
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    for (const [oldest, { isIdle }] of this.#sessions) {
      if (this.#sessions.size <= KEPT_SESSIONS) break
      if (isIdle) this.#sessions.delete(oldest)
    }
    return session
  }
}

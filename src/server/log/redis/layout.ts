import type { SessionEvent } from '../../../core/events/event.ts'
import { parseJson } from '../../../core/json/values.ts'
import { LogError } from '../log-error.ts'
import type { LoggedEvent } from '../session-log.ts'

/** The keys of a session. */
interface SessionKeys {
  /**
   * A hash: `seq`, `digest`, `dropped`, `droppedDigest`, `snapshotSeq`, `snapshotDigest`, `generation`, `owner`,
   * `expiresAt` and `leaseMs`.
   */
  readonly meta: string
  /** A stream with one entry for each event: its JSON and its digest. The entry's id is the event's number. */
  readonly events: string
  readonly snapshot: string
}

/** Returns the keys of a session. The braces are a hash tag: a cluster keeps all keys of a session on one node. */
export function keysOf(prefix: string, sessionId: string): SessionKeys {
  const base = `${prefix}{${escaped(sessionId)}}:`
  return { meta: `${base}meta`, events: `${base}events`, snapshot: `${base}snapshot` }
}

/** Returns the pattern of the keys that end with `meta`, for `SCAN`. */
export function metaPattern(prefix: string): string {
  return `${prefix.replace(/[\\*?[\]]/g, '\\$&')}{*}:meta`
}

/** Returns the id of the session that has the key, or undefined for another key. */
export function sessionIdOf(prefix: string, metaKey: string): string | undefined {
  const [start, end] = [`${prefix}{`, '}:meta']
  if (!metaKey.startsWith(start) || !metaKey.endsWith(end)) return undefined
  const text = metaKey.slice(start.length, -end.length)
  return text.replace(/%(25|7d|d[89a-f][0-9a-f]{2})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** A closing brace ends a hash tag, and two halves of characters look the same in UTF-8. */
function escaped(sessionId: string): string {
  return sessionId.replace(/[%}]|\p{Surrogate}/gu, (unit) => `%${unit.charCodeAt(0).toString(16)}`)
}

/** The end of the events that a reader has. */
export interface Place {
  readonly seq: number
  /** The digest of the event of that number, or undefined if the reader does not know it. */
  readonly digest: string | undefined
}

/** The place of a page in its session. */
interface PagePlace {
  readonly key: string
  readonly afterSeq: number
  /** The number of the session's last event. */
  readonly last: number
}

/**
 * Returns the events of a page, which repeats ids, JSON and digests. Throws a `LogError` (`broken`) if an event is
 * missing or damaged, for example because another program deleted it.
 */
export function eventsOf(
  fields: readonly string[],
  { key, afterSeq, last }: PagePlace,
): readonly LoggedEvent[] {
  const events: LoggedEvent[] = []
  for (let at = 0; at < fields.length; at += 3) {
    const seq = afterSeq + events.length + 1
    const [id, text = '', digest = ''] = fields.slice(at, at + 3)
    const event = parseJson(text)
    if (id !== `${seq}-0` || event === undefined) throw broken(key, seq)
    events.push({ seq, event: event as SessionEvent, digest })
  }
  if (events.length === 0 && afterSeq < last) throw broken(key, afterSeq + 1)
  return events
}

function broken(key: string, seq: number): LogError {
  return new LogError('broken', `event ${seq} is missing or damaged: ${key}`)
}

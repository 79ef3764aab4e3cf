/** The keys of a session. */
interface SessionKeys {
  /** A hash: `seq`, `dropped`, `snapshotSeq`, `generation`, `owner` and `expiresAt`. */
  readonly meta: string
  /** A stream with one entry for each event. The entry's id is the event's number. */
  readonly events: string
  readonly snapshot: string
}

/** Returns the keys of a session. The braces are a hash tag: a cluster keeps all keys of a session on one node. */
export function keysOf(prefix: string, sessionId: string): SessionKeys {
  const base = `${prefix}{${escaped(sessionId)}}:`
  return { meta: `${base}meta`, events: `${base}events`, snapshot: `${base}snapshot` }
}

/** A closing brace ends a hash tag, and two halves of characters look the same in UTF-8. */
function escaped(sessionId: string): string {
  return sessionId.replace(/[%}]|\p{Surrogate}/gu, (unit) => `%${unit.charCodeAt(0).toString(16)}`)
}

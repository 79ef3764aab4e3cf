import type { SessionEvent } from '../../core/events/event.ts'
import { isNoJson } from '../../core/json/depth.ts'
import { isSeq } from '../sync/sequence.ts'
import type { Snapshot } from '../sync/snapshot.ts'
import { LogError } from './log-error.ts'
import type { AppendOptions, SessionLog } from './session-log.ts'

/** Throws a `TypeError` if the value is no id. */
export function checkSessionId(sessionId: string): void {
  if (typeof sessionId !== 'string' || sessionId === '')
    throw new TypeError('sessionId: pass a string that is not empty')
}

/** Throws a `RangeError` if the value is no place in a log. */
export function checkSeq(name: string, seq: number): void {
  if (!isSeq(seq)) throw new RangeError(`${name}: pass the number of an event, or 0`)
}

/** Throws a `RangeError` if the value is no generation. */
export function checkGeneration(generation: number | undefined): void {
  if (generation !== undefined && !(isSeq(generation) && generation > 0))
    throw new RangeError('generation: pass the number that acquire returned')
}

/** Throws for a wrong argument of `append`, and for an event that JSON cannot hold. */
export function checkAppend(
  sessionId: string,
  events: readonly SessionEvent[],
  { expectedSeq, generation }: AppendOptions,
): void {
  checkSessionId(sessionId)
  checkSeq('expectedSeq', expectedSeq)
  checkGeneration(generation)
  const at = events.findIndex((event) => event === undefined || isNoJson(event))
  if (at >= 0)
    throw new LogError('not-json', `session ${sessionId}: event ${at + 1} of the append is no JSON value`)
}

/** Throws for a wrong argument of `saveSnapshot`. */
export function checkSnapshot(sessionId: string, { seq }: Snapshot, generation: number | undefined): void {
  checkSessionId(sessionId)
  checkSeq('snapshot.seq', seq)
  checkGeneration(generation)
}

/** Throws for a wrong argument of `acquire`. */
export function checkAcquire(sessionId: string, owner: string, leaseMs: number): void {
  checkSessionId(sessionId)
  checkOwner(owner, leaseMs)
}

/** Throws for a wrong owner of a lease, and for a wrong time. */
export function checkOwner(owner: string, leaseMs: number): void {
  if (typeof owner !== 'string' || owner === '') throw new TypeError('owner: pass a string that is not empty')
  if (!(Number.isFinite(leaseMs) && leaseMs > 0))
    throw new RangeError('leaseMs: pass milliseconds, more than 0')
}

/** A session that nobody has written yet has no log, so its log has no name. */
export const NO_EPOCH = ''

/**
 * Returns the name of a session's log: the one in its snapshot, or a new one. A session that was deleted and written
 * again has another name, so that nobody takes its events for later ones of the first.
 */
export async function nameOf(log: SessionLog, sessionId: string): Promise<string> {
  const saved = await log.loadSnapshot(sessionId)
  return saved?.epoch || crypto.randomUUID()
}

/** The longest text that a log takes, in UTF-8 bytes. Every reader can hold it: it is half of a value of Redis, and of a string in V8. */
const MAX_BYTES = 2 ** 28

/** Returns the text of a call. Throws a `LogError` (`too-large`) if no reader could read it. */
export function withinLimit(makeText: () => string): string {
  const text = textOrUndefined(makeText)
  if (text === undefined || (text.length > MAX_BYTES / 3 && Buffer.byteLength(text) > MAX_BYTES))
    throw new LogError(
      'too-large',
      `pass at most ${MAX_BYTES} bytes of JSON at once: append the events in parts`,
    )
  return text
}

/** Returns undefined if the text is longer than the longest string. */
function textOrUndefined(makeText: () => string): string | undefined {
  try {
    return makeText()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

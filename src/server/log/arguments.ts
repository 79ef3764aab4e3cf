import type { SessionEvent } from '../../core/events/event.ts'
import { isNoJson } from '../../core/json/depth.ts'
import { isSeq } from '../sync/sequence.ts'
import type { Snapshot } from '../sync/snapshot.ts'
import { LogError } from './log-error.ts'
import type { AppendOptions } from './session-log.ts'

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

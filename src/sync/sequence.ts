import type { SessionEvent } from '../events/event.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { isObject } from '../json/values.ts'

/** A place in a log: the log's name, and the number of the last event up to there; 0 is before the first one. */
export interface Cursor {
  /** The log's name. A server that begins a new log, as after a restart, gives it another one. */
  readonly epoch: string
  readonly seq: number
}

/** An event with its place in a log. The numbers begin at 1 and have no gap. */
export interface StampedEvent extends Cursor {
  readonly event: SessionEvent
}

/** Gives an event the next number of the log. Throws a `RangeError` for a cursor that is no place in a log. */
export function stamp(
  cursor: Cursor,
  event: SessionEvent,
): { readonly cursor: Cursor; readonly stamped: StampedEvent } {
  const { epoch } = cursor
  checkPlace(cursor)
  const seq = cursor.seq + 1
  return { cursor: { epoch, seq }, stamped: { epoch, seq, event } }
}

/** What a receiver knows of a log. */
export interface SyncState {
  /** Known from the first event, unless from a snapshot. */
  readonly epoch?: string
  /** The last event that was handed on, with all before it. */
  readonly seq: number
  /** Events that came early, by their numbers. */
  readonly held: readonly StampedEvent[]
  /** The greatest number that was seen. */
  readonly latest: number
  /** How many events are held at most. */
  readonly limit: number
}

/** A range of numbers, both ends within it. */
export interface MissingRange {
  readonly from: number
  readonly to: number
}

/**
 * Why a value was not taken:
 * - `different-log`: it belongs to another log, as after a restart of the server: take a snapshot
 * - `too-early`: too many events are held already: ask for those that are missing, or take a snapshot
 * - `malformed-stamp`: it is no stamped event
 */
export interface SyncIssue {
  readonly code: 'different-log' | 'too-early' | 'malformed-stamp'
  readonly epoch?: string
  readonly seq?: number
}

/** What came of a stamped event: the events that are to be reduced now, each once and in the order of the log. */
export interface Received {
  readonly sync: SyncState
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SyncIssue[]
}

const LIMIT = 1000

/**
 * Returns what a receiver knows at first: nothing, or the place in the log that a snapshot tells. It holds at most `limit` events,
 * 1000 unless told otherwise: so many places an event may come too early or too late. Throws a `RangeError` for numbers that
 * are no place or no limit, a `TypeError` for a place in a log without a name.
 */
export function createSyncState({
  epoch,
  seq = 0,
  limit = LIMIT,
}: {
  readonly epoch?: string
  readonly seq?: number
  readonly limit?: number
} = {}): SyncState {
  checkPlace({ epoch: epoch === undefined ? '' : epoch, seq })
  // Else a restarted server, whose numbers begin again, would be taken for duplicates.
  if (epoch === undefined && seq > 0)
    throw new TypeError('epoch: pass the name of the log that seq is a place in')
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw new RangeError('limit: pass how many events may be held, 0 or more')
  return omitUndefined({ epoch, seq, held: [], latest: seq, limit })
}

/**
 * Takes what a transport has brought, whatever it has done to it: duplicates are dropped, an early event is held until those
 * before it are there. Where nothing has changed, `sync` is the same reference. The event itself is not looked at: the reducer
 * says what is wrong with it. Never throws, whatever JSON it is given.
 */
export function receive(sync: SyncState, stamped: StampedEvent): Received {
  if (!isStamped(stamped)) return { sync, events: [], issues: [{ code: 'malformed-stamp' }] }
  const { epoch, seq } = stamped
  if (sync.epoch !== undefined && sync.epoch !== epoch)
    return { sync, events: [], issues: [{ code: 'different-log', epoch, seq }] }
  if (seq <= sync.seq) return { sync, events: [], issues: [] }
  const met = withLatest(sync, stamped)
  return seq === sync.seq + 1 ? handOn(met, stamped) : hold(met, stamped)
}

/** Returns the numbers that are missing before the greatest one that was seen: what to ask the server for again. */
export function missing({ seq, held, latest }: SyncState): readonly MissingRange[] {
  const ranges: MissingRange[] = []
  let next = seq + 1
  for (const { seq: at } of held) {
    if (at > next) ranges.push({ from: next, to: at - 1 })
    next = at + 1
  }
  if (next <= latest) ranges.push({ from: next, to: latest })
  return ranges
}

/** A log that is not known yet has no event that was seen, so its first one is the furthest. */
function withLatest(sync: SyncState, { epoch, seq }: StampedEvent): SyncState {
  return seq > sync.latest ? { ...sync, epoch, latest: seq } : sync
}

/** The event, and those that have waited for it. */
function handOn(sync: SyncState, { seq, event }: StampedEvent): Received {
  const gap = sync.held.findIndex((held, at) => held.seq !== seq + 1 + at)
  const count = gap < 0 ? sync.held.length : gap
  const events = [event, ...sync.held.slice(0, count).map((held) => held.event)]
  const held = count > 0 ? sync.held.slice(count) : sync.held
  return { sync: { ...sync, seq: seq + count, held }, events, issues: [] }
}

/** What is furthest ahead is not held: it is missing, and is asked for again. */
function hold(sync: SyncState, stamped: StampedEvent): Received {
  const at = placeOf(sync.held, stamped.seq)
  if (sync.held[at]?.seq === stamped.seq) return { sync, events: [], issues: [] }
  const held = [...sync.held.slice(0, at), stamped, ...sync.held.slice(at)]
  const dropped = held.length > sync.limit ? held.pop() : undefined
  const issues = dropped ? [{ code: 'too-early' as const, epoch: dropped.epoch, seq: dropped.seq }] : []
  return { sync: dropped === stamped ? sync : { ...sync, held }, events: [], issues }
}

/** The first place whose number is not smaller: mostly the end. */
function placeOf(held: readonly StampedEvent[], seq: number): number {
  let at = held.length
  while (at > 0 && (held[at - 1]?.seq ?? 0) >= seq) at -= 1
  return at
}

function isStamped(value: unknown): value is StampedEvent {
  return isObject(value) && typeof value.epoch === 'string' && isSeq(value.seq) && value.seq > 0
}

/** Beyond the safe integers numbers are not told apart any more. */
export function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Throws a `RangeError` for a number that is no place in a log, a `TypeError` for a log without a name. */
export function checkPlace({ epoch, seq }: Cursor): void {
  if (typeof epoch !== 'string') throw new TypeError('epoch: pass the name of the log')
  if (!isSeq(seq) || !isSeq(seq + 1))
    throw new RangeError('seq: pass the number of the last event, 0 before the first one')
}

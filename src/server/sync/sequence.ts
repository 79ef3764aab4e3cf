import type { SessionEvent } from '../../core/events/event.ts'
import { flatEvent } from '../../core/events/guard.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { isObject } from '../../core/json/values.ts'

/** A place in a log: the log's name and the number of the last event. 0 is the place before the first event. */
export interface Cursor {
  /** The log's name. A server that starts a new log, for example after a restart, gives it another name. */
  readonly epoch: string
  readonly seq: number
}

/** An event with its place in a log. The numbers start at 1 and have no gaps. */
export interface StampedEvent extends Cursor {
  readonly event: SessionEvent
}

/**
 * Gives an event the next number of the log, and writes the fields of its `context` beside the others. Throws a
 * `RangeError` if the cursor's number is not a place in a log, a `TypeError` if its log has no name.
 */
export function stamp(
  cursor: Cursor,
  event: SessionEvent,
): { readonly cursor: Cursor; readonly stamped: StampedEvent } {
  const { epoch } = cursor
  checkPlace(cursor)
  const seq = cursor.seq + 1
  return { cursor: { epoch, seq }, stamped: { epoch, seq, event: flatEvent(event) } }
}

/** A receiver's place in a log, with the events that it buffers. */
export interface SyncState {
  /** The log's name, from a snapshot or from the first event. */
  readonly epoch?: string
  /** The number of the last event that the receiver returned. It returned all events before it too. */
  readonly seq: number
  /** Events that arrived before an earlier one, sorted by their numbers. */
  readonly buffered: readonly StampedEvent[]
  /** The greatest number that arrived. */
  readonly latest: number
  /** The most events that the receiver buffers. */
  readonly limit: number
}

/** A range of numbers, with both ends included. */
export interface MissingRange {
  readonly from: number
  readonly to: number
}

/**
 * The reason why a receiver refused a value:
 * - `different-log`: the event belongs to another log, for example after a restart of the server. Load a snapshot.
 * - `too-early`: the buffer is full. Ask for the missing events, or load a snapshot.
 * - `malformed-stamp`: the value is not a stamped event.
 */
export interface SyncIssue {
  readonly code: 'different-log' | 'too-early' | 'malformed-stamp'
  readonly epoch?: string
  readonly seq?: number
}

/** The result of a stamped event. `events` are ready for the reducer: each event once, in the order of the log. */
export interface Received {
  readonly sync: SyncState
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SyncIssue[]
}

const DEFAULT_LIMIT = 1000

/**
 * Returns the first state of a receiver: at the start of an unknown log, or at a snapshot's place. The receiver
 * buffers at most `limit` events (default 1000), so an event may arrive that many places early or late. Throws a
 * `RangeError` for an invalid `seq` or `limit`, a `TypeError` for an `epoch` that is not a string or a `seq` without
 * an `epoch`.
 */
export function createSyncState({
  epoch,
  seq = 0,
  limit = DEFAULT_LIMIT,
}: {
  readonly epoch?: string
  readonly seq?: number
  readonly limit?: number
} = {}): SyncState {
  checkPlace({ epoch: epoch === undefined ? '' : epoch, seq })
  // A restarted server starts its numbers again. Without the log's name, its events look like duplicates.
  if (epoch === undefined && seq > 0)
    throw new TypeError('epoch: pass the name of the log that seq belongs to')
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw new RangeError('limit: pass the most events to buffer, 0 or more')
  return omitUndefined({ epoch, seq, buffered: [], latest: seq, limit })
}

/**
 * Takes a stamped event from a transport that may repeat, reorder or lose events. It drops duplicates and buffers an
 * early event until the events before it arrive. If nothing changes, `sync` is the same reference. It does not check
 * the event itself: the reducer does. It never throws for JSON.
 */
export function receive(sync: SyncState, stamped: StampedEvent): Received {
  if (!isStamped(stamped)) return { sync, events: [], issues: [{ code: 'malformed-stamp' }] }
  const { epoch, seq } = stamped
  if (sync.epoch !== undefined && sync.epoch !== epoch)
    return { sync, events: [], issues: [{ code: 'different-log', epoch, seq }] }
  if (seq <= sync.seq) return { sync, events: [], issues: [] }
  const updated = withLatest(sync, stamped)
  return seq === sync.seq + 1 ? release(updated, stamped) : bufferEvent(updated, stamped)
}

/** Returns the missing numbers up to the greatest one that arrived, to ask the server for those events again. */
export function missing({ seq, buffered, latest }: SyncState): readonly MissingRange[] {
  const ranges: MissingRange[] = []
  let next = seq + 1
  for (const { seq: at } of buffered) {
    if (at > next) ranges.push({ from: next, to: at - 1 })
    next = at + 1
  }
  if (next <= latest) ranges.push({ from: next, to: latest })
  return ranges
}

/** `latest` starts at `seq`, so the first event of an unknown log always sets the log's name. */
function withLatest(sync: SyncState, { epoch, seq }: StampedEvent): SyncState {
  return seq > sync.latest ? { ...sync, epoch, latest: seq } : sync
}

/** Returns the event and the buffered events that follow it without a gap. */
function release(sync: SyncState, { seq, event }: StampedEvent): Received {
  const gap = sync.buffered.findIndex((early, at) => early.seq !== seq + 1 + at)
  const count = gap < 0 ? sync.buffered.length : gap
  const events = [event, ...sync.buffered.slice(0, count).map((early) => early.event)]
  const buffered = count > 0 ? sync.buffered.slice(count) : sync.buffered
  return { sync: { ...sync, seq: seq + count, buffered }, events, issues: [] }
}

/** Buffers an early event. If the buffer is full, it drops the event with the greatest number, which then counts as missing. */
function bufferEvent(sync: SyncState, stamped: StampedEvent): Received {
  const at = insertionIndex(sync.buffered, stamped.seq)
  if (sync.buffered[at]?.seq === stamped.seq) return { sync, events: [], issues: [] }
  const buffered = [...sync.buffered.slice(0, at), stamped, ...sync.buffered.slice(at)]
  const dropped = buffered.length > sync.limit ? buffered.pop() : undefined
  const issues = dropped ? [{ code: 'too-early' as const, epoch: dropped.epoch, seq: dropped.seq }] : []
  return { sync: dropped === stamped ? sync : { ...sync, buffered }, events: [], issues }
}

/** Returns the first index whose number is not smaller. It is mostly the end, so the search starts there. */
function insertionIndex(buffered: readonly StampedEvent[], seq: number): number {
  let at = buffered.length
  while (at > 0 && (buffered[at - 1]?.seq ?? 0) >= seq) at -= 1
  return at
}

/** Whether the value has the place of an event. The reducer checks the event itself. */
export function isStamped(value: unknown): value is StampedEvent {
  return isObject(value) && typeof value.epoch === 'string' && isSeq(value.seq) && value.seq > 0
}

/** Whether the value is a safe integer of 0 or more. Greater numbers are not exact, so two events could share one. */
export function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Throws a `RangeError` if the number is not a place in a log, a `TypeError` if the log has no name. */
export function checkPlace({ epoch, seq }: Cursor): void {
  if (typeof epoch !== 'string') throw new TypeError('epoch: pass the name of the log')
  if (!isSeq(seq) || !isSeq(seq + 1))
    throw new RangeError('seq: pass the number of the last event, 0 before the first one')
}

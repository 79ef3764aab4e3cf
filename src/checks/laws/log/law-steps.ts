import type { SessionEvent } from '../../../core/events/event.ts'
import { isEqual } from '../../../core/json/equal.ts'
import { createInitialConversationState } from '../../../core/state/session.ts'
import { LogError, type LogErrorCode } from '../../../server/log/log-error.ts'
import type { LoggedEvent, SessionLog } from '../../../server/log/session-log.ts'
import type { Snapshot } from '../../../server/sync/snapshot.ts'

/** A session log broke a rule. Test runners show the difference between `actual` and `expected`. */
export class SessionLogLawError extends Error {
  readonly actual: unknown
  readonly expected: unknown

  constructor(message: string, actual: unknown, expected: unknown) {
    super(message)
    this.name = 'SessionLogLawError'
    this.actual = actual
    this.expected = expected
  }
}

export const LONG: { readonly leaseMs: number } = { leaseMs: 60_000 }

export function note(message: string | number): SessionEvent {
  return { type: 'session:idle', error: String(message) }
}

export function logged(seq: number): LoggedEvent {
  return { seq, event: note(seq) }
}

export function place(epoch: string, seq: number): Snapshot {
  return { version: 1, epoch, seq, state: createInitialConversationState() }
}

export async function readAll(log: SessionLog, id: string, afterSeq = 0): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for await (const { seq, event } of log.read(id, afterSeq)) events.push({ seq, event })
  return events
}

export async function sessionIds(log: SessionLog): Promise<string[]> {
  const ids: string[] = []
  for await (const id of log.sessions()) ids.push(id)
  return ids
}

/** Appends one note after another, with short pauses between them. */
export async function appendNotes(
  log: SessionLog,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let seq = from; seq <= to; seq += 1) {
    await log.append(id, [note(seq)], { expectedSeq: seq - 1 })
    await pause(seq % 3)
  }
}

/** Returns that many events. It gives up after ten seconds. */
export async function collect(
  events: AsyncIterable<LoggedEvent>,
  count: number,
  stop: AbortController,
): Promise<readonly LoggedEvent[]> {
  const seen: LoggedEvent[] = []
  const limit = setTimeout(() => stop.abort(), 10_000)
  try {
    for await (const { seq, event } of events) if (seen.push({ seq, event }) >= count) break
  } finally {
    clearTimeout(limit)
  }
  return seen
}

export async function acquired(
  log: SessionLog,
  id: string,
  owner: string,
  options: { readonly leaseMs: number } = LONG,
): Promise<number> {
  const generation = await log.acquire(id, owner, options)
  if (generation === null) throw new SessionLogLawError(`${owner} must get the lease`, null, 'a generation')
  return generation
}

export async function refused(
  call: Promise<unknown>,
  code: LogErrorCode,
  facts: { readonly expected?: number; readonly actual?: number } = {},
): Promise<void> {
  const error = await rejects(call, LogError)
  equal({ code: error.code, expected: error.expected, actual: error.actual }, { code, ...facts })
}

export async function rejects<Kind extends Error>(
  call: Promise<unknown>,
  Expected: new (...args: never[]) => Kind,
): Promise<Kind> {
  try {
    await call
  } catch (error) {
    if (error instanceof Expected) return error
    throw error
  }
  throw new SessionLogLawError('the log must refuse the call', undefined, Expected.name)
}

export function equal(actual: unknown, expected: unknown): void {
  if (!isEqual(plain(actual), plain(expected)))
    throw new SessionLogLawError('the log gives another result', actual, expected)
}

/** Without fields that are undefined. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

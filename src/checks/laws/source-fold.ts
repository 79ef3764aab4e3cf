import type { SessionEvent } from '../../core/events/event.ts'
import { parseSessionEvent } from '../../core/events/guard.ts'
import { isObject } from '../../core/json/values.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import type { Session } from '../../reading/session.ts'
import type { Reading, Source, SourceEnd } from '../../reading/source.ts'
import type { FaultList } from './fault-list.ts'
import type { Fold, FoldStep } from './fold.ts'
import { expectEqual, LawError, type LawErrorFacts } from './law-error.ts'

/** A source as a fold. Its state is the reading of the last message. */
export type SourceFold = Fold<Reading, unknown>
/** One message with the readings before and after it. */
export type SourceStep = FoldStep<Reading, unknown>

/** A check of a source, after its first run. */
export interface SourceCheck {
  readonly source: Source
  readonly fold: SourceFold
  readonly steps: readonly SourceStep[]
  /** The most places for checks that read all messages again. The default is 64. */
  readonly samples?: number
  readonly faults: FaultList
}

/** Returns a source as a fold. */
export function sourceFold(source: Source): SourceFold {
  return {
    initial: { session: source.open(), events: [], issues: [] },
    reduce: ({ session }, message) => checkedReading(source.read(session, [message])),
  }
}

/** Returns the reading. Throws a `TypeError` if it is none. */
export function checkedReading<Result extends Reading>(reading: Result): Result {
  if (!hasEventsAndIssues(reading)) throw new TypeError('read must return a session, events and issues')
  return reading
}

function hasEventsAndIssues(value: unknown): boolean {
  return isObject(value) && isObject(value.session) && Array.isArray(value.events) && areIssues(value.issues)
}

function areIssues(value: unknown): boolean {
  return Array.isArray(value) && value.every((issue) => isObject(issue) && typeof issue.code === 'string')
}

/** Returns the part of a reading that must be the same each time. Notes may differ. */
export function outputOf({ session, events, issues }: Reading): unknown {
  return { state: session.state, events, issues }
}

/** Throws a `LawError` unless every event is valid. */
export function checkEvents(events: readonly SessionEvent[], index: number, facts: LawErrorFacts = {}): void {
  for (const event of events) {
    const parsed = parseSessionEvent(event)
    if (!parsed.ok)
      throw new LawError('invalid-event', index, { ...facts, actual: event, expected: parsed.issues })
  }
}

/** Throws a `LawError` unless the events lead to the state of the session. */
export function checkState(before: Session, { session, events }: Reading, index: number): void {
  const expected = reduceSessionEvents(before.state, events)
  expectEqual(session.state, expected, 'state-differs', index)
}

const ENDINGS: ReadonlySet<unknown> = new Set<SourceEnd['ending']>(['finished', 'interrupted', 'open'])

/** Returns the end of an input. Throws a `TypeError` if it is none. */
export function endOf(source: Source, session: Session): SourceEnd {
  const end = source.end(session)
  if (!hasEventsAndIssues(end) || !ENDINGS.has(end.ending))
    throw new TypeError('end must return a session, events, issues and an ending')
  return end
}

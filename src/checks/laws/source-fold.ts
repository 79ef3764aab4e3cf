import type { SessionEvent } from '../../core/events/event.ts'
import { parseSessionEvent, wrongValue } from '../../core/events/guard.ts'
import { isObject, type JsonObject } from '../../core/json/values.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import type { Reading, Session, Source, SourceEnd } from '../../reading/source.ts'
import type { Fold, FoldStep } from './fold.ts'
import { expectEqual, type FaultList, LawError, type LawErrorFacts } from './law-error.ts'

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

/** Throws a `LawError` unless every event is valid, with real times and counts. */
export function checkEvents(events: readonly SessionEvent[], index: number): void {
  checkShapes(events, index)
  for (const event of events) {
    const wrong = wrongValue(event)
    if (wrong) throw new LawError('invalid-event', index, { actual: event, expected: [wrong] })
  }
}

/** Throws a `LawError` unless every event has the shape of one. A damaged message may have any text as its time. */
export function checkShapes(events: readonly SessionEvent[], index: number, facts: LawErrorFacts = {}): void {
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

const DEEP: unknown = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`)

/** JSON values that no program writes as a message. */
export const UNKNOWN_MESSAGES: readonly unknown[] = [
  null,
  true,
  7,
  '',
  'text',
  [],
  [null],
  {},
  { type: 7 },
  { type: 'agentfold:no-such-type' },
  { type: '__proto__' },
  JSON.parse('{"__proto__":{"type":"text"},"constructor":null}'),
  DEEP,
]

/** Wrong values for a field. `undefined` removes the field. */
const WRONG_VALUES: readonly unknown[] = [undefined, null, 7, '', 'constructor', [], {}, [null], DEEP]

/** Returns copies of the message, each with one missing or wrong field, at the first or the second level. */
export function malformedVariants(message: unknown): readonly unknown[] {
  if (!isObject(message)) return []
  return fieldsOf(message).flatMap(([key, value]) => [
    ...WRONG_VALUES.map((wrong) => withField(message, key, wrong)),
    ...(isObject(value)
      ? fieldsOf(value).flatMap(([inner]) =>
          WRONG_VALUES.map((wrong) => withField(message, key, withField(value, inner, wrong))),
        )
      : []),
  ])
}

function fieldsOf(value: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([key]) => key !== '__proto__')
}

function withField(value: JsonObject, key: string, field: unknown): JsonObject {
  const { [key]: _, ...others } = value
  return field === undefined ? others : { ...others, [key]: field }
}

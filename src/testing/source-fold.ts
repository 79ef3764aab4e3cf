import type { SessionEvent } from '../events/event.ts'
import { parseSessionEvent } from '../events/guard.ts'
import { isObject } from '../json/values.ts'
import type { Source, SourceEnd, Translated } from '../session/source.ts'
import type { Fold, FoldStep } from './fold.ts'
import { LawError, type LawErrorFacts } from './law-error.ts'

/** A source as a fold. Its state is the translation of the last message. */
export type SourceFold<Memory> = Fold<Translated<Memory>, unknown>
/** One message with the translations before and after it. */
export type SourceStep<Memory> = FoldStep<Translated<Memory>, unknown>

/** Returns a source as a fold. */
export function sourceFold<Memory>(source: Source<Memory>): SourceFold<Memory> {
  return {
    initial: { memory: source.initial, events: [], issues: [] },
    reduce: ({ memory }, message) => checkedTranslation(source.translate(memory, message)),
  }
}

/** Returns the translation. Throws a `TypeError` if it is none. */
export function checkedTranslation<Memory>(translated: Translated<Memory>): Translated<Memory> {
  if (!hasEventsAndIssues(translated))
    throw new TypeError('translate must return a memory, events and issues')
  return translated
}

function hasEventsAndIssues(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.events) && areIssues(value.issues)
}

function areIssues(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (issue) => isObject(issue) && typeof issue.code === 'string' && typeof issue.count === 'number',
    )
  )
}

/** Returns the part of a translation that must be the same each time. Memories may differ. */
export function outputOf<Memory>({ events, issues }: Translated<Memory>): unknown {
  return { events, issues }
}

/** Throws a `LawError` unless every event is valid. */
export function checkEvents(events: readonly SessionEvent[], index: number, facts: LawErrorFacts = {}): void {
  for (const event of events) {
    const parsed = parseSessionEvent(event)
    if (!parsed.ok)
      throw new LawError('invalid-event', index, { ...facts, actual: event, expected: parsed.issues })
  }
}

const ENDINGS: ReadonlySet<unknown> = new Set<SourceEnd['ending']>(['finished', 'interrupted', 'open'])

/** Returns the end of an input. Throws a `TypeError` if it is none. */
export function endOf<Memory>(source: Source<Memory>, memory: Memory): SourceEnd {
  const end = source.end(memory)
  if (!hasEventsAndIssues(end) || !ENDINGS.has(end.ending))
    throw new TypeError('end must return events, issues and an ending')
  return end
}

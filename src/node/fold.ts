import type { SessionEvent } from '../events/event.ts'
import type { Entry } from '../session/input/entries.ts'
import { EntryReader } from '../session/reader.ts'
import type { Session } from '../session/session.ts'
import type { ReadIssue, Source } from '../session/source.ts'

/** The session after some entries, with their events and issues. The issues of one kind are one issue with a count. */
export interface FoldedEntries {
  readonly session: Session
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
}

/** Reads entries as one batch. */
export function foldEntries(source: Source, session: Session, entries: Iterable<Entry>): FoldedEntries {
  const reader = new EntryReader(source, session)
  const read = reader.read(entries)
  return { session: reader.session, ...read }
}

/** Joins the results of two lists of entries, of which the second follows the first. */
export function joinFolded(first: FoldedEntries, second: FoldedEntries): FoldedEntries {
  return {
    session: second.session,
    events: first.events.length === 0 ? second.events : first.events.concat(second.events),
    issues: [...first.issues, ...second.issues],
  }
}

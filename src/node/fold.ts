import type { SessionEvent } from '../core/events/event.ts'
import { EntryFold } from '../reading/entry-fold.ts'
import type { Entry } from '../reading/input/entries.ts'
import type { ReadIssue, Session, Source } from '../reading/source.ts'

/** The session after some entries, with their events and issues. The issues of one kind are one issue with a count. */
export interface FoldedEntries {
  readonly session: Session
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
}

/** Reads entries as one batch. */
export function foldEntries(source: Source, session: Session, entries: Iterable<Entry>): FoldedEntries {
  const reader = new EntryFold(source, session)
  const read = reader.read(entries)
  return { session: reader.session, ...read }
}

/** Joins the results of lists of entries that follow each other. `start` is the session before them. */
export function joinFolded(start: Session, parts: readonly FoldedEntries[]): FoldedEntries {
  return {
    session: parts.at(-1)?.session ?? start,
    events: parts.flatMap(({ events }) => events),
    issues: parts.flatMap(({ issues }) => issues),
  }
}

import type { SessionEvent } from '../events/event.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import type { Entry } from '../session/input/entries.ts'
import { IssueCounter } from '../session/issue-counter.ts'
import { batchOf, issueKey, translateEntry } from '../session/reader.ts'
import type { Source, SourceIssue } from '../session/source.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'

/** A state with the memory of its source. */
export interface Fold {
  readonly memory: unknown
  readonly state: SessionConversationState
}

/** The events and issues of some entries. The issues of one kind are one issue with a count. */
export interface FoldedEntries {
  readonly fold: Fold
  readonly events: readonly SessionEvent[]
  readonly issues: readonly (SourceIssue | ReducerIssue)[]
}

/** Returns the fold before the first entry. */
export function initialFold(source: Source<unknown>): Fold {
  return { memory: source.initial, state: createInitialConversationState() }
}

/** Translates and folds entries. */
export function foldEntries(
  source: Source<unknown>,
  { memory: before, state: old }: Fold,
  entries: Iterable<Entry>,
): FoldedEntries {
  const issues = new IssueCounter<SourceIssue>(issueKey)
  const events: SessionEvent[] = []
  const batch = batchOf(source, before)
  for (const entry of entries) {
    const translated = translateEntry(batch, entry)
    for (const event of translated.events) events.push(event)
    for (const issue of translated.issues) issues.add(issue)
  }
  const folded = foldSessionEvents(old, events)
  return {
    fold: { memory: batch.finish(), state: folded.state },
    events,
    issues: [...issues.issues, ...countIssues(folded.issues)],
  }
}

function countIssues(issues: readonly ReducerIssue[]): readonly ReducerIssue[] {
  const counter = new IssueCounter<ReducerIssue & { readonly count?: number }>((issue) => issue)
  for (const issue of issues) counter.add(issue)
  return counter.issues
}

/** Joins the results of two lists of entries, of which the second follows the first. */
export function joinFolded(first: FoldedEntries, second: FoldedEntries): FoldedEntries {
  return {
    fold: second.fold,
    events: first.events.length === 0 ? second.events : first.events.concat(second.events),
    issues: [...first.issues, ...second.issues],
  }
}

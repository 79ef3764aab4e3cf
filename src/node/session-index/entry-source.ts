import { compareStrings, timeInMs } from '../../core/json/lists.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { architectureNamed, hasFilesOfOneId } from '../../wires/names.ts'
import { ifReadable } from '../files/read-error.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import type { findMatches, SearchedState } from '../search.ts'
import type { SearchPattern } from '../search-pattern.ts'
import type { EntryHead, EntryValues } from './entry.ts'
import type { IndexUpdate, UpdateOptions } from './index-updater.ts'
import type { FolderFilter } from './session-filter.ts'
import type { SearchQuery } from './session-questions.ts'
import type { RowFacts } from './session-row.ts'

/** The values that a question reads. */
export type AskedColumn = 'row' | 'parts' | 'tools' | 'details'

/** An entry, with the facts that a question finds and sorts it by. */
export interface ListedEntry {
  readonly head: Pick<EntryHead, 'changedAt' | 'facts'>
}

/** A session of a list. */
export interface IndexedSession {
  readonly key: string
  readonly facts: RowFacts
}

/**
 * The place of the entries of an index: on this machine, or in a database of several machines. The questions are the same.
 */
export interface EntrySource {
  /** All entries by their keys, as the last update has left them. */
  readonly entries: ReadonlyMap<string, ListedEntry>
  update(options?: UpdateOptions): Promise<IndexUpdate>
  /** Whether the sessions are as the last update has left them. After a look for a list, it looks at all of their files. */
  areCurrent(keys: readonly string[]): Promise<boolean>
  /** Returns the values of entries. Throws a `DamagedIndexError` if they are not as they were written. */
  values<Name extends AskedColumn>(
    name: Name,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, EntryValues[Name]>>
  /** Returns whether the texts of an entry may have all the hashes. */
  hashFilter(hashes: readonly number[]): Promise<(key: string) => boolean>
  /**
   * Returns what a search looks at in a session. Undefined if it has no such text, or cannot be read. Throws a
   * `TranscriptError` if this machine cannot read it.
   */
  searched(session: SessionSummary, pattern: SearchPattern | undefined): Promise<SearchedState | undefined>
  /** Returns whether sessions ran in a folder, below it, or in a worktree of that place. */
  folderFilter(folder: string): FolderFilter
  /**
   * Returns the state of a session, with the title of its list. Undefined if its machine could not read it. Throws a
   * `TranscriptError` if this one cannot.
   */
  state(session: SessionSummary): Promise<SessionConversationState | undefined>
  /** Yields when a session may have changed, until the abort. */
  changes(signal: AbortSignal): AsyncIterable<void>
  /** Throws away entries that are damaged. */
  discard(): void
  close(): Promise<void>
}

/** Returns the sessions that are not excluded, newest first. An older file of a session is none. */
export function newestFirst(
  entries: EntrySource['entries'],
  isExcluded: (facts: RowFacts) => boolean,
): readonly IndexedSession[] {
  const all: (IndexedSession & { readonly changedAt: number; readonly time: number })[] = []
  for (const [key, { head }] of entries) {
    const { facts, changedAt } = head
    if (facts) all.push({ key, facts, changedAt, time: timeInMs(facts.updatedAt) })
  }
  all.sort(
    (left, right) =>
      right.time - left.time || right.changedAt - left.changedAt || compareStrings(left.key, right.key),
  )
  const listed = new Set<string>()
  return all.filter(({ facts }) => {
    const { id, format } = facts
    if (isExcluded(facts)) return false
    // A newer version of agentfold may have pushed a session of a format that this one lacks.
    const known = architectureNamed(format)
    if (!known || !hasFilesOfOneId(known)) return true
    const isOlder = listed.has(id)
    listed.add(id)
    return !isOlder
  })
}

interface SearchedRow {
  readonly row: SessionSummary
  readonly pattern: SearchPattern | undefined
  readonly view: SearchQuery['view']
}

/** Returns what is searched of a session, with its title. A view needs the whole state. */
export function viewed(
  source: EntrySource,
  { row, pattern, view }: SearchedRow,
): Promise<Parameters<typeof findMatches>[0] | undefined> {
  return ifReadable(async () => {
    const searched = await source.searched(row, pattern)
    if (!searched || !view) return searched && { title: row.title, state: searched }
    const state = await source.state(row)
    if (!state) return undefined
    const shown = view(state)
    return { title: shown.session.title, state: shown }
  })
}

import type { SessionConversationState } from '../../core/state/session.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import type { SearchedState, SearchPattern } from '../search.ts'
import type { EntryHead, EntryValues } from './entry.ts'
import type { FolderFilter } from './session-filter.ts'
import type { IndexUpdate, UpdateOptions } from './session-index.ts'

/** The values that a question reads. */
export type AskedColumn = 'row' | 'parts' | 'tools' | 'details'

/** An entry, with the facts that a question finds and sorts it by. */
export interface ListedEntry {
  readonly head: Pick<EntryHead, 'changedAt' | 'facts'>
}

/**
 * Where the entries of an index are: on this machine, or in a database of several machines. The questions are the same.
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

import type { ListIssue } from '../list/session-summary.ts'
import { areSame, FileStamps } from './file-stamps.ts'
import type { IndexScope } from './index-place.ts'
import type { KeptEntries } from './kept-entries.ts'
import type { KeptRow } from './session-row.ts'

/** How to bring an index up to date. */
export interface UpdateOptions {
  /** Ends the update. The sessions that were read stay in the index. */
  readonly signal?: AbortSignal | undefined
  /** Gets the number of sessions that were read, and of all that have changed. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined
  /** Gets each file, folder or database that cannot be read. The others are listed. */
  readonly onIssue?: ((issue: ListIssue) => void) | undefined
  /**
   * Looks at the sessions' own files alone, and not at those of their agents. `sessions` without a status looks at the other
   * files of the sessions that it returns. Any other question looks at all files first.
   */
  readonly forList?: boolean | undefined
}

/** What an update has done. */
export interface IndexUpdate {
  /** The number of files and sessions in databases that were read. */
  readonly read: number
  /** Whether all that has changed was read. It is false after an abort. */
  readonly isComplete: boolean
  /** The keys of the sessions whose rows are new or differ. */
  readonly changed: readonly string[]
  /** The rows of the sessions that are gone. */
  readonly removed: readonly (KeptRow | null)[]
}

/** The entries of all sessions, up to date with their files. */
export class IndexedSessions {
  readonly #scope: IndexScope
  readonly #kept: KeptEntries
  readonly #now: () => number

  constructor(scope: IndexScope, kept: KeptEntries, now: () => number) {
    this.#scope = scope
    this.#kept = kept
    this.#now = now
  }

  get kept(): KeptEntries {
    return this.#kept
  }

  /** Reads what has changed since the last update, and saves it. Most commands find no change, and need no code that reads a session. */
  async update(options: UpdateOptions = {}): Promise<IndexUpdate> {
    const kept = this.#kept
    kept.load()
    const startedAt = this.#now()
    const stamps = new FileStamps()
    const { listing } = kept
    const isListed = listing !== undefined && areSame(listing.stamps, stamps) && listing.keys === kept.keysSum
    const { forList } = options
    const changed = new Set(kept.changed(stamps, forList ? 'beside' : 'all'))
    for (const { key, isRecent } of kept.notable) if (isRecent) changed.add(key)
    let update: IndexUpdate = { read: 0, changed: [], removed: [], isComplete: true }
    if (!isListed || changed.size > 0) {
      if (forList) for (const key of kept.changed(stamps, 'elsewhere')) changed.add(key)
      const { IndexUpdater } = await import('./index-updater.ts')
      const updater = new IndexUpdater(this.#scope, kept, { startedAt, stamps, changed, isListed })
      update = await updater.run(options)
    }
    for (const { issue } of kept.notable) if (issue) options.onIssue?.(issue)
    return update
  }

  close(): void {
    this.#kept.close()
  }
}

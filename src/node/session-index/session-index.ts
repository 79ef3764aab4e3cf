import { areSame, FileStamps } from './file-stamps.ts'
import type { IndexScope } from './index-place.ts'
import type { IndexUpdate, UpdateOptions } from './index-updater.ts'
import type { KeptEntries } from './kept-entries.ts'

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

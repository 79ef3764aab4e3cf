import { dirname } from 'node:path'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { SessionSummary } from '../list/session-summary.ts'
import type { SearchedState } from '../search.ts'
import type { SearchPattern } from '../search-pattern.ts'
import type { EntryValues } from './entry.ts'
import type { AskedColumn, EntrySource } from './entry-source.ts'
import { areSame, FileStamps } from './file-stamps.ts'
import { type IndexScope, indexPath } from './index-place.ts'
import type { IndexUpdate, UpdateOptions } from './index-updater.ts'
import { KeptEntries } from './kept-entries.ts'
import { areTooLarge, unpackedTexts } from './packed-texts.ts'
import { type FolderFilter, folderFilter } from './session-filter.ts'
import type { IndexOptions } from './session-questions.ts'
import { mayHaveAll } from './text-signature.ts'

/** Opens the entries of this machine, or of another home folder. */
export function openLocalSource({ path, home, roots, now = Date.now }: IndexOptions): LocalSource {
  if (typeof roots === 'string') throw new TypeError('roots: pass a list of folders')
  const scope = { home, roots }
  const file = path === false ? undefined : (path ?? indexPath(scope, home?.split(',')[0]))
  return new LocalSource(scope, file, now)
}

/** The entries of this machine. */
export class LocalSource implements EntrySource {
  readonly #scope: IndexScope
  readonly #sessions: IndexedSessions

  /** Without a path, all entries stay in memory. */
  constructor(scope: IndexScope, path: string | undefined, now: () => number) {
    this.#scope = scope
    this.#sessions = new IndexedSessions(scope, new KeptEntries(path), now)
  }

  get kept(): KeptEntries {
    return this.#sessions.kept
  }

  get entries(): KeptEntries['entries'] {
    return this.kept.entries
  }

  update(options?: UpdateOptions): Promise<IndexUpdate> {
    return this.#sessions.update(options)
  }

  async areCurrent(keys: readonly string[]): Promise<boolean> {
    const { entries } = this.kept
    // The files of other sessions in their folders may decide these.
    const shared = keys.filter((key) => entries.get(key)?.head.found !== undefined)
    const folders = new Set(shared.map((key) => dirname(key)))
    const others = folders.size === 0 ? [] : [...entries.keys()].filter((key) => folders.has(dirname(key)))
    return this.kept.changedAmong([...keys, ...others], new FileStamps()).size === 0
  }

  async values<Name extends AskedColumn>(
    name: Name,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, EntryValues[Name]>> {
    return this.kept.values(name, keys)
  }

  async hashFilter(hashes: readonly number[]): Promise<(key: string) => boolean> {
    const signatures = this.kept.bytes('signature', this.entries.keys())
    return (key) => {
      const signature = signatures.get(key)
      return !signature || mayHaveAll(signature, hashes)
    }
  }

  async searched(
    row: SessionSummary,
    pattern: SearchPattern | undefined,
  ): Promise<SearchedState | undefined> {
    const texts = this.kept.packedTexts(row.path)
    return areTooLarge(texts) ? this.state(row) : unpackedTexts(texts, pattern)
  }

  folderFilter(folder: string): FolderFilter {
    return folderFilter(folder)
  }

  /** Most commands read no session and watch none, and start sooner without the code for it. */
  async state(row: SessionSummary): Promise<SessionConversationState | undefined> {
    const { readTitledState } = await import('../read/read-session.ts')
    return readTitledState(row)
  }

  async *changes(signal: AbortSignal): AsyncGenerator<void, void> {
    const { changesOf } = await import('./session-changes.ts')
    yield* changesOf(this.#scope, signal)
  }

  discard(): void {
    this.kept.discard()
  }

  async close(): Promise<void> {
    this.#sessions.close()
  }
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

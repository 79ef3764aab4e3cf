import { dirname } from 'node:path'
import { isEqual } from '../../core/json/equal.ts'
import { keepFirstValues } from '../files/detect-file.ts'
import { fileReader, keepNames } from '../files/file-reader.ts'
import type { SessionProgress } from '../follow/progress.ts'
import { Listing } from '../list/listing.ts'
import type { Candidate } from '../list/part-candidates.ts'
import type { ListIssue } from '../list/session-summary.ts'
import { type Entry, type EntryHead, keysSum, type ListingRecord, type StampList } from './entry.ts'
import { areSame, type FileStamps, guardOf, isAnyRecent, sizeIn, stampOfStats } from './file-stamps.ts'
import type { IndexScope } from './index-place.ts'
import type { KeptEntries } from './kept-entries.ts'
import { foundFiles, type ReadingContext, readEntry, readingContext } from './read-entry.ts'
import { readInWorkers } from './read-in-workers.ts'
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

/** The result of an update. */
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

/** The changes that a `watch` has not yielded. The updates and the questions of other callers read changes, too. */
export interface UnseenChanges {
  readonly changed: Set<string>
  readonly removed: (KeptRow | null)[]
}

/** Sessions that are read at the same time, while others wait for the disk. */
const AT_ONCE = 8

/** Entries that are saved at once. */
const BATCH = 128

/** The sessions to read again, those that are gone, and the listing that has found them. */
interface Differences {
  /** The newest first. */
  readonly stale: readonly Candidate[]
  readonly removed: readonly string[]
  readonly keys: readonly string[]
  /** Absent if it would not show each change. */
  readonly listing?: ListingRecord
}

/** The result of a first look. */
interface FirstLook {
  /** The time before the first stamp, in ms since the epoch. */
  readonly startedAt: number
  readonly stamps: FileStamps
  /** The keys of the sessions whose stamps differ, or may stay as they are after a change. */
  readonly changed: ReadonlySet<string>
  /** Whether the folders are as the last listing has found them. */
  readonly isListed: boolean
}

/** Reads what has changed, and saves it. */
export class IndexUpdater {
  readonly #scope: IndexScope
  readonly #kept: KeptEntries
  readonly #look: FirstLook

  constructor(scope: IndexScope, kept: KeptEntries, look: FirstLook) {
    this.#scope = scope
    this.#kept = kept
    this.#look = look
  }

  async run({ signal, onProgress, onIssue }: UpdateOptions): Promise<IndexUpdate> {
    const finder = new ChangeFinder(this.#scope, this.#kept, { ...this.#look, onIssue })
    const { stale, removed, keys, listing } = await finder.find()
    const gone = [...this.#kept.values('row', removed).values()]
    const before = this.#kept.values(
      'row',
      stale.map(({ key }) => key),
    )
    const changed: string[] = []
    let read = 0
    let entries: Entry[] = []
    if (removed.length > 0) this.#kept.save({ entries, removed })
    for await (const group of this.#readings(stale, finder.readingContext(keys), { keys, signal })) {
      for (const entry of group) {
        const { key } = entry.head
        if (!isEqual(before.get(key) ?? null, JSON.parse(entry.values.row))) changed.push(key)
      }
      read += group.length
      entries.push(...group)
      if (entries.length >= BATCH) {
        this.#kept.save({ entries, removed: [] })
        entries = []
      }
      onProgress?.(read, stale.length)
    }
    const isComplete = read === stale.length
    const isNewListing = isComplete && !isEqual(this.#kept.listing, listing)
    if (entries.length > 0 || isNewListing)
      this.#kept.save({ entries, removed: [], ...(isComplete && listing && { listing }) })
    return { read, changed, removed: gone, isComplete }
  }

  /** Yields the entries of sessions, in groups. The newest come first, so an index that still grows is of use. */
  async *#readings(
    stale: readonly Candidate[],
    context: ReadingContext,
    { keys, signal }: { readonly keys: readonly string[]; readonly signal: AbortSignal | undefined },
  ): AsyncGenerator<readonly Entry[], void> {
    const left = new Map(stale.map((candidate) => [candidate.key, candidate]))
    const files = stale.flatMap(({ key, stats }) => (stats && !this.#kept.entries.has(key) ? [key] : []))
    const { startedAt } = context
    for await (const group of readInWorkers({ scope: this.#scope, keys, startedAt, files, signal })) {
      for (const { head } of group) left.delete(head.key)
      yield group
    }
    const rest = [...left.values()]
    for (let from = 0; from < rest.length && !signal?.aborted; from += AT_ONCE)
      yield await Promise.all(rest.slice(from, from + AT_ONCE).map((each) => this.#read(each, context)))
  }

  #read(candidate: Candidate, context: ReadingContext): Promise<Entry> {
    const { key } = candidate
    const isKnown = this.#kept.entries.get(key)?.head.facts !== undefined
    const progress = isKnown ? this.#kept.values('progress', [key]).get(key) : undefined
    const before = this.#kept.values('stamps', [key]).get(key) ?? []
    return readEntry(candidate, context, {
      keepsProgress: isKnown,
      progress: progress && hasGrown(progress.place, before, context.stamps) ? progress : undefined,
    })
  }
}

interface FinderOptions extends FirstLook {
  readonly onIssue: UpdateOptions['onIssue']
}

/** Finds what has changed since the entries were read. */
class ChangeFinder {
  readonly #kept: KeptEntries
  readonly #look: FirstLook
  readonly #stamps: FileStamps
  readonly #reader = keepNames(keepFirstValues(fileReader))
  readonly #listing: Listing
  readonly #hasRoots: boolean
  readonly #folders: string[] = []
  #hasIssues = false

  constructor({ home, roots }: IndexScope, kept: KeptEntries, { onIssue, ...look }: FinderOptions) {
    this.#kept = kept
    this.#look = look
    this.#stamps = look.stamps
    this.#hasRoots = roots !== undefined
    this.#listing = new Listing({
      ...(home !== undefined && { home }),
      ...(roots && { roots }),
      reader: this.#reader,
      onFolder: (path) => this.#folders.push(path, this.#stamps.of(path)),
      onIssue: (issue) => {
        this.#hasIssues = true
        onIssue?.(issue)
      },
    })
  }

  readingContext(keys: readonly string[]): ReadingContext {
    return readingContext({
      reader: this.#reader,
      keys,
      startedAt: this.#look.startedAt,
      stamps: this.#stamps,
    })
  }

  /** Lists again only if a folder has changed. */
  async find(): Promise<Differences> {
    const keys = [...this.#kept.entries.keys()]
    const known = this.#kept.listing
    if (known && this.#look.isListed) {
      const stale = [...(await this.#staleKeys(keys, []))]
      const candidates = stale.length > 0 ? await this.#listing.candidatesOf(stale) : []
      if (candidates?.length === stale.length) return { stale: candidates, removed: [], keys, listing: known }
    }
    return this.#findAll()
  }

  async #findAll(): Promise<Differences> {
    const candidates = await this.#listing.candidates()
    for (const { path, stats } of candidates) if (stats) this.#stamps.keep(path, stampOfStats(stats))
    const keys = candidates.map(({ key }) => key)
    const found = new Set(keys)
    const removed = [...this.#kept.entries.keys()].filter((key) => !found.has(key))
    const stale = await this.#staleKeys(keys, removed)
    const isSure = !this.#hasRoots && !this.#hasIssues && !isAnyRecent(this.#folders, this.#look.startedAt)
    return {
      stale: candidates.filter(({ key }) => stale.has(key)),
      ...{ removed, keys },
      ...(isSure && { listing: { stamps: this.#folders, keys: keysSum(keys) } }),
    }
  }

  /** Returns the keys of the sessions to read again. */
  async #staleKeys(keys: readonly string[], removed: readonly string[]): Promise<ReadonlySet<string>> {
    const stale = new Set<string>()
    // The folders in which the beginning of a session's file has changed, or the files of a session have.
    const changedFolders = new Set(removed.map((key) => dirname(key)))
    for (const key of keys) if (!this.#kept.entries.has(key) || this.#look.changed.has(key)) stale.add(key)
    const lists = this.#kept.values('stamps', [...stale])
    for (const key of stale) {
      const head = this.#kept.entries.get(key)?.head
      if (!head || !this.#hasOnlyGrown(head, lists.get(key) ?? [])) changedFolders.add(dirname(key))
    }
    if (changedFolders.size === 0) return stale
    for (const key of keys) {
      const found = this.#kept.entries.get(key)?.head.found
      if (found === undefined || stale.has(key) || !changedFolders.has(dirname(key))) continue
      if ((await foundFiles(key, this.#reader)) !== found) stale.add(key)
    }
    return stale
  }

  /** Whether nothing but the end of the session's own file has changed. */
  #hasOnlyGrown({ guard }: EntryHead, [path = '', , ...others]: StampList): boolean {
    return areSame(others, this.#stamps) && guardOf(path, guard.size).checksum === guard.checksum
  }
}

/**
 * Whether a file of a progress has grown, and none of them has changed otherwise. A file that has changed and kept its size
 * may differ anywhere, and the ends of a file do not show that.
 */
function hasGrown({ lines }: SessionProgress, before: StampList, stamps: FileStamps): boolean {
  const sizes = (lines?.threads ?? []).map(({ path }) => {
    const at = before.indexOf(path)
    const known = before[at + 1] ?? ''
    const now = stamps.of(path)
    return { isSame: known === now, isLonger: at >= 0 && sizeIn(now) > sizeIn(known) }
  })
  return sizes.some(({ isLonger }) => isLonger) && sizes.every(({ isSame, isLonger }) => isSame || isLonger)
}

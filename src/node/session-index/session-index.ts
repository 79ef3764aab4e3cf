import { dirname } from 'node:path'
import { isEqual } from '../../core/json/equal.ts'
import { keepFirstValues } from '../files/detect-file.ts'
import { fileReader } from '../files/file-reader.ts'
import { keepNames } from '../files/keep-names.ts'
import type { Candidate } from '../list/candidate.ts'
import { Listing } from '../list/listing.ts'
import type { ListIssue } from '../list/session-summary.ts'
import type { Entry, EntryHead } from './entry.ts'
import { FileStamps, guardOf, stampOfStats } from './file-stamps.ts'
import type { IndexScope } from './index-place.ts'
import { Neighbours } from './neighbours.ts'
import { foundFiles, type ReadingContext, readEntry } from './read-entry.ts'
import type { SessionDetails } from './session-details.ts'
import { headOf, type StoreOrMemory } from './store-or-memory.ts'
import { SignatureMaker, type TextSignature } from './text-signature.ts'

/** How to bring an index up to date. */
export interface UpdateOptions {
  /** Ends the update. The sessions that were read stay in the index. */
  readonly signal?: AbortSignal | undefined
  /** Gets the number of sessions that were read, and of all that have changed. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined
  /** Gets each file, folder or database that cannot be read. The others are listed. */
  readonly onIssue?: ((issue: ListIssue) => void) | undefined
}

/** What an update has done. */
interface IndexUpdate {
  /** The number of files and sessions in databases that were read. */
  readonly read: number
  /** Whether all that has changed was read. It is false after an abort. */
  readonly isComplete: boolean
  /** The keys of the sessions whose rows are new or differ. */
  readonly changed: readonly string[]
  /** The heads of the sessions that are gone. */
  readonly removed: readonly EntryHead[]
}

/** Sessions that are read at the same time, while others wait for the disk. */
const AT_ONCE = 8

/** Entries that are saved in one transaction. */
const BATCH = 128

/** The attempts to read a part of the database that other processes change. */
const ATTEMPTS = 4

/** The entries of all sessions, up to date with their files. */
export class IndexedSessions {
  readonly #scope: IndexScope
  readonly #kept: StoreOrMemory
  readonly #now: () => number
  #heads: Map<string, EntryHead> = new Map()

  constructor(scope: IndexScope, kept: StoreOrMemory, now: () => number) {
    this.#scope = scope
    this.#kept = kept
    this.#now = now
  }

  get heads(): ReadonlyMap<string, EntryHead> {
    return this.#heads
  }

  details(): Promise<ReadonlyMap<string, SessionDetails>> {
    return this.#whole(() => this.#kept.details(this.#heads.keys()))
  }

  signatures(): Promise<ReadonlyMap<string, TextSignature>> {
    return this.#whole(() => this.#kept.signatures(this.#heads.keys()))
  }

  /** Asks again after an update, while other processes change the database. At last, all sessions are read into memory. */
  async #whole<Value>(ask: () => Promise<Value | undefined>): Promise<Value> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const answer = await ask()
      if (answer !== undefined) return answer
      if (attempt === ATTEMPTS - 1) this.#kept.forgetStore()
      await this.update()
    }
    throw new Error('an index in memory has all sessions')
  }

  /** Reads what has changed since the last update, and saves it. */
  async update({ signal, onProgress, onIssue }: UpdateOptions = {}): Promise<IndexUpdate> {
    const before = await this.#kept.load()
    const { home, roots } = this.#scope
    const listing = new Listing({
      ...(home !== undefined && { home }),
      ...(roots && { roots }),
      ...(onIssue && { onIssue }),
    })
    const candidates = await listing.candidates()
    const stamps = new FileStamps()
    for (const { path, stats } of candidates) if (stats) stamps.keep(path, stampOfStats(stats))
    const neighbours = new Neighbours(candidates.map(({ key }) => key))
    const context: ReadingContext = {
      stamps,
      reader: keepNames(keepFirstValues(fileReader)),
      isNeighbour: (path, own) => neighbours.isNeighbour(path, own),
      now: this.#now,
      signatures: new SignatureMaker(),
    }
    const found = new Set(candidates.map(({ key }) => key))
    const removed = [...before.values()].filter(({ key }) => !found.has(key))
    const stale = await staleCandidates(candidates, { before, removed, context })
    const heads = new Map([...before].filter(([key]) => found.has(key)))
    const changed: string[] = []
    let read = 0
    let [entries, gone]: [Entry[], string[]] = [[], removed.map(({ key }) => key)]
    const save = async () => {
      if (entries.length + gone.length > 0) await this.#kept.save(entries, gone, heads)
      ;[entries, gone] = [[], []]
    }
    const readOne = async (candidate: Candidate) => {
      const { row } = before.get(candidate.key) ?? {}
      const progress = row && (await this.#kept.progress(candidate.key))
      return readEntry(candidate, context, { keepsProgress: row !== undefined, progress })
    }
    // The newest come first, so an index that still grows is of use.
    for (let from = 0; from < stale.length && !signal?.aborted; from += AT_ONCE) {
      const group = await Promise.all(stale.slice(from, from + AT_ONCE).map(readOne))
      for (const entry of group) {
        read += 1
        if (!isEqual(before.get(entry.key)?.row ?? null, entry.row ?? null)) changed.push(entry.key)
        entries.push(entry)
        heads.set(entry.key, headOf(entry))
      }
      if (entries.length >= BATCH) await save()
      onProgress?.(read, stale.length)
    }
    await save()
    this.#heads = heads
    for (const { issue } of heads.values()) if (issue) onIssue?.(issue)
    return { read, changed, removed, isComplete: read === stale.length }
  }

  close(): void {
    this.#kept.close()
  }
}

interface StaleSearch {
  readonly before: ReadonlyMap<string, EntryHead>
  readonly removed: readonly EntryHead[]
  readonly context: ReadingContext
}

/** Returns the candidates to read again. */
async function staleCandidates(
  candidates: readonly Candidate[],
  { before, removed, context }: StaleSearch,
): Promise<readonly Candidate[]> {
  const { stamps } = context
  const stale = new Set<string>()
  // The folders in which the beginning of a session's file has changed, or the files of a session have.
  const changedFolders = new Set(removed.map(({ key }) => dirname(key)))
  for (const { key, path } of candidates) {
    const known = before.get(key)
    const isOwnSame = known?.stamp === stamps.of(path)
    const areSourcesSame =
      known && Object.entries(known.sources.stamps).every(([source, stamp]) => stamps.of(source) === stamp)
    if (isOwnSame && areSourcesSame && !known.isRecent) continue
    stale.add(key)
    const hasGrown = known && guardOf(path, known.guard.size).checksum === known.guard.checksum
    if (!hasGrown || !areSourcesSame) changedFolders.add(dirname(key))
  }
  for (const { key } of candidates) {
    const found = before.get(key)?.sources.found
    if (found === undefined || stale.has(key) || !changedFolders.has(dirname(key))) continue
    if ((await foundFiles(key, context.reader)) !== found) stale.add(key)
  }
  return candidates.filter(({ key }) => stale.has(key))
}

import { rmSync } from 'node:fs'
import {
  type Binary,
  COLUMNS,
  type Column,
  DamagedIndexError,
  type Entry,
  type EntryHead,
  type EntryValues,
  keysSum,
  type ListingRecord,
} from './entry.ts'
import { areSame, type FileStamps } from './file-stamps.ts'
import { type Block, BlockFile, blockParts, CHUNK, type IndexChanges } from './index-blocks.ts'
import type { WatchScope } from './watch-table.ts'

/** An entry with the place of its values: in memory, or in a block. */
interface KeptEntry {
  readonly head: EntryHead
  readonly place: Entry | { readonly block: Block; readonly at: number }
}

/** The sessions that grow at the same time. The progress of others is not kept, because it is as large as the session. */
const KEPT_PROGRESS = 32

/** For so many entries, a chunk is parsed at once. For fewer ones, their values alone. */
const MANY = 1_000

/**
 * Entries that stand behind one with a greater key, before the file is written anew as one block in the order of the keys.
 * The sessions of a folder look at the same files: such a block names each of them once.
 */
const UNORDERED = 512

/** More blocks than the entries need, and bytes that no entry needs, before the file is written anew. */
const [SPARE_BLOCKS, SPARE_BYTES] = [64, 2 ** 22]

/**
 * Keeps entries in a file, and those in memory that it does not take. A full disk, a folder that nobody may write to or
 * a damaged file make an index slower, and never wrong.
 */
export class KeptEntries {
  readonly #path: string | undefined
  #file: BlockFile | undefined
  /** False after the system has refused the file. */
  #isWritable: boolean
  /** The entry that was read last is the last one, but for those of a file that was written anew. */
  #entries = new Map<string, KeptEntry>()
  /** The blocks of the file that were read. */
  #read: Block[] = []
  /** The keys of the entries that are in no block. */
  readonly #unwritten = new Set<string>()
  readonly #notable = new Map<string, EntryHead>() // of entries that are read again, or that cannot be read
  #listing: ListingRecord | undefined
  #keysSum: string | undefined // of all keys. That of a block counts while it has all of them.
  /** Up to here, the blocks of the file are read. */
  #end = 0
  #blocks = 0
  #unordered = 0
  #greatest = ''
  /** The bytes of the file that no entry needs, as far as the mean size of the entries of a block says. */
  #unused = 0

  /** Without a path, all entries stay in memory. */
  constructor(path: string | undefined) {
    this.#path = path
    this.#isWritable = path !== undefined
  }

  get entries(): ReadonlyMap<string, Pick<KeptEntry, 'head'>> {
    return this.#entries
  }

  /** The heads of the entries that are read again, and of those that cannot be read. */
  get notable(): Iterable<EntryHead> {
    return this.#notable.values()
  }

  get keysSum(): string {
    this.#keysSum ??= keysSum([...this.#entries.keys()])
    return this.#keysSum
  }

  /** The listing that has found exactly these entries. */
  get listing(): ListingRecord | undefined {
    return this.#listing
  }

  /** Reads what this process or another one has saved since the last time. */
  load(): void {
    if (this.#file?.isReplaced) this.#forget()
    const path = this.#path
    if (!this.#file && this.#isWritable && path !== undefined)
      this.#attempt(() => {
        this.#file = BlockFile.open(path)
      })
    this.#readOn()
  }

  /** If the system refuses the file, what is not in it stays in memory. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch {
      this.#isWritable = false
    }
  }

  /** Half of a block ends the reading: another process writes it, or was killed. */
  #readOn(): void {
    if (!this.#file) return
    const { size } = this.#file
    while (this.#end < size) {
      const block = this.#file.block(this.#end)
      if (!block) return
      const { heads, order, removed, listing } = block
      const isFirst = this.#entries.size === 0
      for (const key of removed) this.#delete(key)
      for (const at of order) {
        const head = heads[at]
        if (!head) continue
        const entry = { head, place: { block, at } }
        if (isFirst) this.#add(head.key, entry)
        else this.#set(head.key, entry)
      }
      for (const { key } of heads)
        if (key < this.#greatest) this.#unordered += 1
        else this.#greatest = key
      if (isFirst && this.#entries.size === heads.length) this.#keysSum = block.keysSum
      this.#read.push(block)
      this.#listing = listing
      this.#end = block.end
      this.#blocks += 1
    }
  }

  #set(key: string, entry: KeptEntry): void {
    if (!this.#entries.has(key)) this.#keysSum = undefined
    this.#markUnused(key)
    this.#entries.delete(key)
    this.#add(key, entry)
  }

  #add(key: string, entry: KeptEntry): void {
    const { head, place } = entry
    this.#entries.set(key, entry)
    if (head.isRecent || head.issue) this.#notable.set(key, head)
    if (!('block' in place)) this.#unwritten.add(key)
  }

  #delete(key: string): void {
    this.#markUnused(key)
    if (this.#entries.delete(key)) this.#keysSum = undefined
  }

  #markUnused(key: string): void {
    this.#notable.delete(key)
    this.#unwritten.delete(key)
    const place = this.#entries.get(key)?.place
    if (place && 'block' in place) this.#unused += place.block.size / place.block.heads.length
  }

  save(changes: IndexChanges): void {
    this.#readOn()
    for (const key of changes.removed) this.#delete(key)
    for (const entry of changes.entries) this.#set(entry.head.key, { head: entry.head, place: entry })
    this.#listing = changes.listing
    if (this.#isWritable && this.#path !== undefined) this.#write(this.#path, changes)
  }

  #write(path: string, changes: IndexChanges): void {
    const size = this.#file?.size ?? 0
    const isSparse =
      this.#unused > SPARE_BYTES + size / 2 || this.#blocks > SPARE_BLOCKS + (2 * this.#entries.size) / CHUNK
    // A first index is written in the order of its readings, and put in order when it is complete.
    const isOrdered = !changes.listing || this.#unordered < UNORDERED + this.#entries.size / 4
    // After half of a block, no block is read.
    const isReplaced = isSparse || !isOrdered || size !== this.#end
    // A damaged part is no refusal of the system: the caller makes the index anew.
    const parts = blockParts(isReplaced ? this.#everything() : changes)
    this.#attempt(() => {
      if (isReplaced) BlockFile.replace(path, parts)
      else this.#file?.append(parts)
      this.load()
    })
  }

  /** Returns all entries for a file that is written anew, in the order of the keys. All values are in memory then. */
  #everything(): IndexChanges {
    const keys = [...this.#entries.keys()]
    const columns = new Map(COLUMNS.map((name) => [name, this.#texts(name, keys)]))
    const [signatures, texts] = [this.bytes('signature', keys), this.bytes('texts', keys)]
    const growing = keys.filter((key) => (columns.get('progress')?.get(key) ?? NONE) !== NONE)
    const last = new Set(growing.slice(-KEPT_PROGRESS))
    const textOf = (name: Column, key: string) =>
      (name === 'progress' && !last.has(key) ? undefined : columns.get(name)?.get(key)) ?? NONE
    const entries = keys.sort().flatMap((key): readonly Entry[] => {
      const head = this.#entries.get(key)?.head
      if (!head) return []
      const values = Object.fromEntries(COLUMNS.map((name) => [name, textOf(name, key)])) as Entry['values']
      const none = new Uint8Array()
      return [{ head, values, signature: signatures.get(key) ?? none, texts: texts.get(key) ?? none }]
    })
    return { entries, removed: [], ...(this.#listing && { listing: this.#listing }) }
  }

  /** Returns the values of entries. Throws a `DamagedIndexError` if they are not as they were written. */
  values<Name extends Column>(name: Name, keys: readonly string[]): ReadonlyMap<string, EntryValues[Name]> {
    if (name !== 'stamps' && keys.length >= MANY)
      return this.#each(
        keys,
        ({ values }) => JSON.parse(values[name]) as EntryValues[Name],
        (file, block, chunk) => file.values(block, chunk, name) as readonly EntryValues[Name][],
      )
    const texts = this.#texts(name, keys)
    return new Map([...texts].map(([key, text]) => [key, JSON.parse(text) as EntryValues[Name]]))
  }

  /** Returns the values of entries that are no JSON, as `values` does. */
  bytes(name: Binary, keys: Iterable<string>): ReadonlyMap<string, Uint8Array> {
    return this.#each(
      keys,
      (entry) => entry[name],
      (file, block, chunk) => file.bytes(block, chunk, name),
    )
  }

  /** Returns what `packedTexts` made of an entry. */
  packedTexts(key: string): Uint8Array {
    const place = this.#entries.get(key)?.place
    if (!place || !('block' in place)) return place?.texts ?? new Uint8Array()
    return this.#file?.packedTexts(place.block, place.at) ?? new Uint8Array()
  }

  /** Returns the keys of the entries whose stamps are not the same. One pass finds those of a block that may differ. */
  changed(stamps: FileStamps, scope: 'all' | 'beside' | 'elsewhere' = 'all'): ReadonlySet<string> {
    return this.#changedOf(new Map(this.#read.map((block) => [block, scope])), this.#unwritten, stamps)
  }

  /** Returns those of the keys whose entries have other stamps. */
  changedAmong(keys: readonly string[], stamps: FileStamps): ReadonlySet<string> {
    const asked = new Map<Block, Set<number>>()
    for (const key of keys) {
      const place = this.#entries.get(key)?.place
      if (!place || !('block' in place)) continue
      const places = asked.get(place.block) ?? new Set()
      asked.set(place.block, places.add(place.at))
    }
    const unwritten = keys.filter((key) => this.#unwritten.has(key))
    return this.#changedOf(asked, unwritten, stamps)
  }

  #changedOf(
    scopes: Iterable<readonly [Block, WatchScope]>,
    unwritten: Iterable<string>,
    stamps: FileStamps,
  ): ReadonlySet<string> {
    const keys = [...unwritten]
    for (const [block, scope] of scopes)
      for (const at of block.watch.unsure(stamps, scope)) {
        const key = block.heads[at]?.key ?? ''
        const place = this.#entries.get(key)?.place
        // A later block may have another entry of the session.
        if (place && 'block' in place && place.block === block && place.at === at) keys.push(key)
      }
    const lists = this.values('stamps', keys)
    return new Set(keys.filter((key) => !areSame(lists.get(key) ?? [], stamps)))
  }

  #texts(name: Column, keys: Iterable<string>): ReadonlyMap<string, string> {
    return this.#each(
      keys,
      ({ values }) => values[name],
      (file, block, chunk) => file.texts(block, chunk, name),
    )
  }

  /** Each chunk is read once. */
  #each<Value>(
    keys: Iterable<string>,
    valueIn: (entry: Entry) => Value,
    valuesOf: (file: BlockFile, block: Block, chunk: number) => readonly Value[],
  ): ReadonlyMap<string, Value> {
    const read = new Map<Block, Map<number, readonly Value[]>>()
    const found = new Map<string, Value>()
    for (const key of keys) {
      const place = this.#entries.get(key)?.place
      if (!place) continue
      if (!('block' in place)) {
        found.set(key, valueIn(place))
        continue
      }
      const { block, at } = place
      const chunks = read.get(block) ?? new Map<number, readonly Value[]>()
      read.set(block, chunks)
      const chunk = Math.floor(at / CHUNK)
      const values = chunks.get(chunk) ?? (this.#file ? valuesOf(this.#file, block, chunk) : [])
      chunks.set(chunk, values)
      const value = values[at % CHUNK]
      if (value === undefined) throw new DamagedIndexError('a section without a value')
      found.set(key, value)
    }
    return found
  }

  /** Removes the file, and forgets what it has. */
  discard(): void {
    if (this.#path !== undefined && this.#file?.size) rmSync(this.#path, { force: true })
    this.#forget()
  }

  #forget(): void {
    this.close()
    const unwritten = [...this.#entries].filter(([, { place }]) => !('block' in place))
    this.#entries = new Map()
    this.#notable.clear()
    for (const [key, entry] of unwritten) this.#add(key, entry)
    this.#read = []
    this.#listing = undefined
    this.#keysSum = undefined
    ;[this.#end, this.#blocks, this.#unused, this.#unordered, this.#greatest] = [0, 0, 0, 0, '']
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }
}

const NONE = JSON.stringify(null)

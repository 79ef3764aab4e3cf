import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { isInside, lowerNames, namesIfReadable } from '../files/list-files.ts'
import type { ListingRecord, StampList } from './entry.ts'
import { type FileStamps, GONE, isGone, lacksName, parted } from './file-stamps.ts'
import type { PathCollector } from './path-columns.ts'

/**
 * The files and folders of all entries of a block, each once, in a form that one pass compares with the disk. The pass
 * finds each entry that may have changed. The stamps of such an entry say whether it has.
 */
export interface WatchColumns {
  /** The numbers of the paths that exist. */
  readonly real: readonly number[]
  /** The numbers of the paths that lead to nothing. */
  readonly gone: readonly number[]
  /** Folders that lack several names: the number of the folder's path, and a checksum of the names that it has. */
  readonly folders: readonly (readonly [path: number, sum: string])[]
  /** The entries with stamps that are no numbers. */
  readonly others: readonly number[]
  /** How many of the real and of the gone paths are in the folder of the first file of an entry, or above it. They come first. */
  readonly beside: readonly [real: number, gone: number]
}

/**
 * The files to look at: all, those beside or above the first file of each entry, all but those, or the latter of some
 * entries. A list is found and sorted by what is beside.
 */
export type WatchScope = 'all' | 'beside' | 'elsewhere' | ReadonlySet<number>

/** A name in lower case that a folder lacks, with the entries that look at it. */
type LackedName = readonly [name: string, owners: readonly number[]]

/** The names that each folder of a `WatchColumns` lacks. They are read only if the folder has other names now. */
export type LackedNames = readonly (readonly LackedName[])[]

/** The parts of a watch table, as a block keeps them. */
interface WatchParts {
  readonly columns: WatchColumns
  /** As `numberBytes` makes them. */
  readonly numbers: Uint8Array
  readonly lacked: LackedNames
}

/** A path with the entries that look at it. */
interface WatchedPath {
  readonly path: string
  readonly owners: number[]
}

/** The numbers of a stamp: the size, the time of the last change, that of its node, and the number of the node. */
type StampNumbers = readonly [number, number, number, number]

/** A look at a folder takes longer than looks at fewer files. */
const FEWEST = 4

/** Makes the watch table of entries from their stamps. */
export function watchParts(lists: readonly StampList[], paths: PathCollector): WatchParts {
  const real = new Map<string, WatchedPath & { readonly numbers: StampNumbers }>()
  const missing = new Map<string, WatchedPath>()
  const others = new Set<number>()
  const firstMissing = missingParts()
  for (const [owner, list] of lists.entries())
    for (let at = 0; at < list.length; at += 2) {
      const [path = '', stamp = ''] = [list[at], list[at + 1]]
      if (stamp === GONE) {
        const part = firstMissing(path)
        addOwner(missing, part, owner, () => ({ path: part, owners: [] }))
        continue
      }
      const numbers = numbersOf(stamp)
      if (numbers) addOwner(real, `${path}\n${stamp}`, owner, () => ({ path, numbers, owners: [] }))
      else others.add(owner)
    }
  const { single, folders } = byFolder([...missing.values()])
  const isBeside = ({ path, owners }: WatchedPath) => {
    const [folder] = parted(path)
    // The facts of a session may stand in a folder above its file.
    return owners.some((owner) => isInside(parted(lists[owner]?.[0] ?? '')[0], folder))
  }
  const [ownReal, otherReal] = divided([...real.values()], isBeside)
  const [ownGone, otherGone] = divided(single, isBeside)
  const [allReal, allGone] = [
    [...ownReal, ...otherReal],
    [...ownGone, ...otherGone],
  ]
  return {
    columns: {
      real: allReal.map(({ path }) => paths.add(path)),
      gone: allGone.map(({ path }) => paths.add(path)),
      folders: folders.map(({ path, sum }) => [paths.add(path), sum]),
      others: [...others],
      beside: [ownReal.length, ownGone.length],
    },
    numbers: numberBytes(allReal, allGone),
    lacked: folders.map(({ names }) => names),
  }
}

function divided<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [first: readonly Item[], rest: readonly Item[]] {
  const first: Item[] = []
  const rest: Item[] = []
  for (const item of items) (isFirst(item) ? first : rest).push(item)
  return [first, rest]
}

function addOwner<Item extends WatchedPath>(
  items: Map<string, Item>,
  name: string,
  owner: number,
  make: () => Item,
): void {
  let item = items.get(name)
  if (!item) {
    item = make()
    items.set(name, item)
  }
  if (item.owners.at(-1) !== owner) item.owners.push(owner)
}

/** Returns the numbers of a stamp. Undefined for one that they do not show exactly. */
function numbersOf(stamp: string): StampNumbers | undefined {
  const [size = Number.NaN, modified = Number.NaN, changed = Number.NaN, node = Number.NaN] = stamp
    .split(' ')
    .map(Number)
  return `${size} ${modified} ${changed} ${node}` === stamp && !Number.isNaN(size + modified + changed + node)
    ? [size, modified, changed, node]
    : undefined
}

/**
 * Returns a function that returns the shortest part of a path that leads to nothing: nothing is below it then. All agents of
 * a session that has none need one look so.
 */
function missingParts(): (path: string) => string {
  const known = new Map<string, boolean>()
  const exists = (path: string): boolean => {
    const found = known.get(path) ?? existsSync(path)
    known.set(path, found)
    return found
  }
  const parts = new Map<string, string>()
  const partOf = (path: string): string => {
    const [folder] = parted(path)
    return folder === path || exists(folder) ? path : (parts.get(folder) ?? partOf(folder))
  }
  return (path) => {
    const part = parts.get(path) ?? partOf(path)
    parts.set(path, part)
    return part
  }
}

interface LackingFolder {
  readonly path: string
  readonly sum: string
  readonly names: readonly LackedName[]
}

/** Takes the paths together that are in one folder, if its names show that they lead to nothing. */
function byFolder(missing: readonly WatchedPath[]): {
  readonly single: readonly WatchedPath[]
  readonly folders: readonly LackingFolder[]
} {
  const groups = new Map<string, WatchedPath[]>()
  for (const item of missing) {
    const [folder] = parted(item.path)
    const group = groups.get(folder) ?? []
    group.push(item)
    groups.set(folder, group)
  }
  const single: WatchedPath[] = []
  const folders: LackingFolder[] = []
  for (const [path, items] of groups) {
    const names = items.length < FEWEST ? undefined : namesIfReadable(path)
    const lower = names && lowerNames(names)
    const isLacked = (item: WatchedPath) => lacksName(lower, parted(item.path)[1])
    const lacked = items.filter(isLacked)
    single.push(...items.filter((item) => !isLacked(item)))
    if (names && lacked.length > 0)
      folders.push({
        ...{ path, sum: sumOfNames(names) },
        names: lacked.map((item) => [parted(item.path)[1].toLowerCase(), item.owners]),
      })
  }
  return { single, folders }
}

/** No name has a slash. */
function sumOfNames(names: readonly string[]): string {
  return createHash('sha1').update(names.join('/')).digest('base64url')
}

/**
 * Returns the stamps of the real paths, each as four numbers of 8 bytes, and then numbers of 4 bytes: where the owners of each
 * real and each gone path end, and these owners.
 */
function numberBytes(
  real: readonly (WatchedPath & { readonly numbers: StampNumbers })[],
  gone: readonly WatchedPath[],
): Uint8Array {
  const lists = [...real, ...gone].map(({ owners }) => owners)
  const count = lists.reduce((sum, { length }) => sum + length, 0)
  const stamps = new Float64Array(real.flatMap(({ numbers }) => numbers))
  const owners = new Uint32Array(lists.length + count)
  let end = 0
  for (const [at, list] of lists.entries()) {
    owners.set(list, lists.length + end)
    end += list.length
    owners[at] = end
  }
  return Buffer.concat([bytesOf(stamps), bytesOf(owners)])
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** The parts of a watch table, and the listing of its block. */
interface ReadWatchParts extends Pick<WatchParts, 'columns' | 'numbers'> {
  readonly listing: ListingRecord | undefined
}

function stampsByPath(list: StampList): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>()
  for (let at = 0; at < list.length; at += 2) stamps.set(list[at] ?? '', list[at + 1] ?? '')
  return stamps
}

/** The watch table of a block that was read. */
export class WatchTable {
  readonly #columns: WatchColumns
  readonly #paths: readonly string[]
  readonly #stamps: Float64Array
  /** Where the owners of each path end, and the owners. */
  readonly #owners: Uint32Array
  readonly #lacked: () => LackedNames
  /** The stamps of folders before their names were read for this table. */
  readonly #folders: ReadonlyMap<string, string>

  constructor(
    { columns, numbers, listing }: ReadWatchParts,
    paths: readonly string[],
    lacked: () => LackedNames,
  ) {
    this.#columns = columns
    this.#folders = stampsByPath(listing?.stamps ?? [])
    this.#paths = paths
    this.#lacked = lacked
    // The place of a buffer may fit no number of 8 bytes.
    const { buffer } = new Uint8Array(numbers)
    const size = 4 * columns.real.length
    this.#stamps = new Float64Array(buffer, 0, size)
    this.#owners = new Uint32Array(buffer, size * Float64Array.BYTES_PER_ELEMENT)
  }

  /** Returns the entries of the block that may have changed, by their places in it. */
  unsure(stamps: FileStamps, scope: WatchScope): ReadonlySet<number> {
    const { real, gone, others, beside } = this.#columns
    const unsure = new Set(others)
    const isAsked = typeof scope === 'string' ? () => true : (item: number) => this.#hasOwner(item, scope)
    const [ownReal, ownGone] = beside
    const from = (own: number) => (scope === 'all' || scope === 'beside' ? 0 : own)
    const to = (own: number, all: number) => (scope === 'beside' ? own : all)
    for (let at = from(ownReal); at < to(ownReal, real.length); at += 1)
      if (isAsked(at) && !this.#isSame(this.#paths[real[at] ?? 0] ?? '', 4 * at)) this.#addOwners(at, unsure)
    for (let at = from(ownGone); at < to(ownGone, gone.length); at += 1) {
      const item = real.length + at
      if (isAsked(item) && !isGone(this.#paths[gone[at] ?? 0] ?? '')) this.#addOwners(item, unsure)
    }
    this.#addLacking(stamps, unsure)
    return unsure
  }

  #hasOwner(item: number, entries: ReadonlySet<number>): boolean {
    const { start, end } = this.#ownersOf(item)
    for (let at = start; at < end; at += 1) if (entries.has(this.#owners[at] ?? 0)) return true
    return false
  }

  /** Returns the place of the owners of a path. */
  #ownersOf(item: number): { readonly start: number; readonly end: number } {
    const count = this.#columns.real.length + this.#columns.gone.length
    const start = item === 0 ? 0 : (this.#owners[item - 1] ?? 0)
    return { start: count + start, end: count + (this.#owners[item] ?? 0) }
  }

  #isSame(path: string, at: number): boolean {
    try {
      const stats = statSync(path, { throwIfNoEntry: false })
      const stamps = this.#stamps
      return (
        stats !== undefined &&
        stats.size === stamps[at] &&
        stats.mtimeMs === stamps[at + 1] &&
        stats.ctimeMs === stamps[at + 2] &&
        stats.ino === stamps[at + 3]
      )
    } catch {
      // The look at the entry itself says what it is.
      return false
    }
  }

  #addOwners(item: number, unsure: Set<number>): void {
    const { start, end } = this.#ownersOf(item)
    for (const owner of this.#owners.subarray(start, end)) unsure.add(owner)
  }

  /** A folder that has the same names as before still lacks the others. */
  #addLacking(stamps: FileStamps, unsure: Set<number>): void {
    for (const [at, [number, sum]] of this.#columns.folders.entries()) {
      const path = this.#paths[number] ?? ''
      // No name was added since: a folder of a listing had not changed for a while, so each change shows in its stamp.
      const stamp = this.#folders.get(path)
      if (stamp !== undefined && stamps.of(path) === stamp) continue
      const names = namesIfReadable(path)
      if (names && sumOfNames(names) === sum) continue
      const lower = names && lowerNames(names)
      for (const [name, owners] of this.#lacked()[at] ?? [])
        if (!lower || lower.has(name)) for (const owner of owners) unsure.add(owner)
    }
  }
}

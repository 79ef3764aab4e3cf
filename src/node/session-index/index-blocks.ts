import { createHash } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { version } from '../../../package.json'
import { timeInMs } from '../../core/json/lists.ts'
import { isObject } from '../../core/json/values.ts'
import {
  BINARIES,
  type Binary,
  COLUMNS,
  type Column,
  DamagedIndexError,
  type Entry,
  type EntryHead,
  keysSum,
  type ListingRecord,
  SharedStamps,
  type StampList,
} from './entry.ts'
import { type HeadColumns, headColumns, headsIn } from './head-columns.ts'
import { removeStale } from './index-place.ts'
import { PathCollector, type PathColumns, pathsIn } from './path-columns.ts'
import { type LackedNames, type WatchColumns, WatchTable, watchParts } from './watch-table.ts'

/** Grows with each change of what an index keeps. */
const LAYOUT = 7
/** Names what an index keeps, and the version of the wires that have read it. */
export const VERSION = `agentfold ${LAYOUT} ${version}`

/** The parts of a block that are read with it, and the names that are read if a folder has changed. */
const SECTIONS = ['index', 'numbers', 'lacked'] as const

/** The values of some entries that follow each other in a block. A question reads those of one column. */
type ChunkSection = Column | Binary

const CHUNK_SECTIONS = [...COLUMNS, ...BINARIES] as const satisfies ChunkSection[]

/** Entries in a chunk. */
export const CHUNK = 128

/** Changes of an index, which are kept as one block. */
export interface IndexChanges {
  readonly entries: readonly Entry[]
  readonly removed: readonly string[]
  /** Absent if not all sessions are read. */
  readonly listing?: ListingRecord
}

type SizeAndSum = readonly [size: number, sum: string]

/** The first section of a block. */
interface BlockIndex {
  readonly paths: PathColumns
  readonly heads: HeadColumns
  /** The places of the heads, the newest session last. */
  readonly order: readonly number[]
  readonly watch: WatchColumns
  readonly keysSum: string
  readonly removed: readonly string[]
  readonly listing?: ListingRecord
  readonly chunks: readonly (readonly SizeAndSum[])[]
  /** The sizes of the values of each entry that are no texts, in bytes. */
  readonly sizes: Readonly<Record<Binary, readonly number[]>>
}

interface SectionPlace {
  readonly at: number
  readonly size: number
  readonly sum: string
}

/** A block of a file, with the places of its values. */
export interface Block {
  readonly heads: readonly EntryHead[]
  /** The places of the heads, the newest session last. */
  readonly order: readonly number[]
  readonly watch: WatchTable
  /** As `keysSum` makes it of its heads. */
  readonly keysSum: string
  readonly removed: readonly string[]
  readonly listing: ListingRecord | undefined
  readonly chunks: readonly Readonly<Record<ChunkSection, SectionPlace>>[]
  readonly sizes: BlockIndex['sizes']
  /** In bytes. */
  readonly size: number
  readonly end: number
}

/** In bytes. The header of a block is padded with spaces. */
const HEADER = 1_024

/** No value of JSON has a line break, so this stands between two values alone. */
const SEPARATOR = ',\n'

/** Returns the parts of a block: a header with the sizes and checksums of its sections, the sections, and the chunks. */
export function blockParts({ entries, removed, listing }: IndexChanges): readonly Uint8Array[] {
  const paths = new PathCollector()
  const heads = headColumns(
    entries.map(({ head }) => head),
    paths,
  )
  const watch = watchParts(
    entries.map(({ values }) => JSON.parse(values.stamps)),
    paths,
  )
  const chunks: Uint8Array[][] = []
  for (let from = 0; from < entries.length; from += CHUNK)
    chunks.push(chunkSections(entries.slice(from, from + CHUNK)))
  const index: BlockIndex = {
    ...{ paths: paths.columns, heads, watch: watch.columns, removed, ...(listing && { listing }) },
    order: oldestFirst(entries),
    chunks: chunks.map((sections) => sections.map(sizeAndSum)),
    keysSum: keysSum(entries.map(({ head }) => head.key)),
    sizes: {
      signature: entries.map(({ signature }) => signature.length),
      texts: entries.map(({ texts }) => texts.length),
    },
  }
  const sections = [jsonBytes(index), watch.numbers, jsonBytes(watch.lacked)]
  const values = chunks.flat()
  const size = values.reduce((sum, { length }) => sum + length, 0)
  const text = JSON.stringify([VERSION, sections.map(sizeAndSum), size])
  const header = Buffer.from(`${sumOf(Buffer.from(text))} ${text}`.padEnd(HEADER))
  return [header, ...sections, ...values]
}

/** Entries in this order are sorted by time at once. */
function oldestFirst(entries: readonly Entry[]): readonly number[] {
  const times = entries.map(({ head }) => timeInMs(head.facts?.updatedAt) || 0)
  return entries.map((_, at) => at).sort((left, right) => (times[left] ?? 0) - (times[right] ?? 0))
}

function chunkSections(entries: readonly Entry[]): Uint8Array[] {
  const stamps = new SharedStamps()
  const texts = COLUMNS.map((name) =>
    Buffer.from(
      entries
        .map(({ values }) => (name === 'stamps' ? stamps.add(values.stamps) : values[name]))
        .concat(name === 'stamps' ? JSON.stringify(stamps.list) : [])
        .join(SEPARATOR),
    ),
  )
  return [...texts, ...BINARIES.map((name) => Buffer.concat(entries.map((entry) => entry[name])))]
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function sizeAndSum(bytes: Uint8Array): SizeAndSum {
  return [bytes.length, sumOf(bytes)]
}

function sumOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('base64url').slice(0, 12)
}

/** A file of blocks. Several processes may append blocks at once, and each block is valid in itself. */
export class BlockFile {
  readonly #path: string
  readonly #file: number

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'a+', 0o600)
  }

  /** Opens the file of an index, and makes it and its folder if they are missing. */
  static open(path: string): BlockFile {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return new BlockFile(path)
  }

  /** In bytes. A device has none. */
  get size(): number {
    return fstatSync(this.#file).size
  }

  /** Whether another process has put another file in its place. */
  get isReplaced(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino !== fstatSync(this.#file).ino
  }

  /** Returns the block at a place. Undefined if there is none that is whole. */
  block(at: number): Block | undefined {
    const header = this.#read(at, HEADER).toString().trimEnd()
    const [sum] = header.split(' ', 1)
    const text = header.slice(header.indexOf(' ') + 1)
    if (sum !== sumOf(Buffer.from(text))) return undefined
    const [version, ownSizes, size] = JSON.parse(text) as [string, readonly SizeAndSum[], number]
    if (version !== VERSION) return undefined
    const { places, end: start } = placesOf(SECTIONS, ownSizes, at + HEADER)
    const end = start + size
    const [index, numbers] = [this.#section(places.index), this.#section(places.numbers)]
    if (!index || !numbers || this.size < end) return undefined
    const read: unknown = JSON.parse(index.toString())
    if (!isObject(read)) return undefined
    const { paths, heads, watch, listing, chunks, order, removed, keysSum, sizes } =
      read as unknown as BlockIndex
    const names = pathsIn(paths)
    const lacked = () => JSON.parse(this.#whole(places.lacked).toString()) as LackedNames
    let next = start
    return {
      ...{ order, removed, listing, keysSum, sizes, size: end - at, end },
      heads: headsIn(heads, names),
      watch: new WatchTable({ columns: watch, numbers, listing }, names, lacked),
      chunks: chunks.map((each) => {
        const chunk = placesOf(CHUNK_SECTIONS, each, next)
        next = chunk.end
        return chunk.places
      }),
    }
  }

  /** Returns the values of a chunk as JSON. */
  texts({ chunks }: Block, chunk: number, column: Column): readonly string[] {
    const place = chunks[chunk]?.[column]
    const texts = place ? this.#whole(place).toString().split(SEPARATOR) : []
    if (column !== 'stamps') return texts
    const list: StampList = JSON.parse(texts.at(-1) ?? '[]')
    return texts.slice(0, -1).map((text) => {
      const places: readonly number[] = JSON.parse(text)
      return JSON.stringify(places.flatMap((at) => list.slice(at, at + 2)))
    })
  }

  /** Returns the values of a chunk. The text of a chunk is that of a list. */
  values({ chunks }: Block, chunk: number, column: Exclude<Column, 'stamps'>): readonly unknown[] {
    const place = chunks[chunk]?.[column]
    return place ? JSON.parse(`[${this.#whole(place)}]`) : []
  }

  /** Returns the values of a chunk that are no texts. */
  bytes({ chunks, sizes }: Block, chunk: number, name: Binary): readonly Uint8Array[] {
    const place = chunks[chunk]?.[name]
    const bytes = place ? this.#whole(place) : new Uint8Array()
    let end = 0
    return sizes[name].slice(CHUNK * chunk, CHUNK * (chunk + 1)).map((size) => {
      end += size
      return bytes.subarray(end - size, end)
    })
  }

  /** Returns the packed texts of one entry. They have their own checksum. */
  packedTexts({ chunks, sizes }: Block, at: number): Uint8Array {
    const [chunk, size = 0] = [Math.floor(at / CHUNK), sizes.texts[at]]
    const start = sizes.texts.slice(CHUNK * chunk, at).reduce((sum, each) => sum + each, 0)
    const bytes = this.#read((chunks[chunk]?.texts.at ?? 0) + start, size)
    if (bytes.length !== size) throw new DamagedIndexError('texts that are not there')
    return bytes
  }

  #whole(place: SectionPlace): Buffer {
    const bytes = this.#section(place)
    if (!bytes) throw new DamagedIndexError('a section with another checksum')
    return bytes
  }

  #section({ at, size, sum }: SectionPlace): Buffer | undefined {
    const bytes = this.#read(at, size)
    return bytes.length === size && sumOf(bytes) === sum ? bytes : undefined
  }

  #read(at: number, size: number): Buffer {
    const buffer = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      const read = readSync(this.#file, buffer, filled, size - filled, at + filled)
      if (read === 0) break
      filled += read
    }
    return buffer.subarray(0, filled)
  }

  /** Appends a block in one call, so blocks of several processes never mix. Throws if the disk is full. */
  append(parts: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(parts)
    if (writeSync(this.#file, bytes) !== bytes.length) throw new DamagedIndexError('a part of a block')
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Puts a file with these parts in the place of a file. A process that has the old one open still reads it. */
  static replace(path: string, parts: Iterable<Uint8Array>): void {
    const temporary = `${path}.new`
    removeStale(temporary)
    // Another process that does the same has the file: then this fails.
    const file = openSync(temporary, 'wx', 0o600)
    try {
      for (const bytes of parts)
        if (writeSync(file, bytes) !== bytes.length) throw new DamagedIndexError('a part of a block')
      renameSync(temporary, path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    } finally {
      closeSync(file)
    }
  }
}

/** Returns the places of sections that follow each other. */
function placesOf<Name extends string>(
  names: readonly Name[],
  sizes: readonly SizeAndSum[],
  start: number,
): { readonly places: Readonly<Record<Name, SectionPlace>>; readonly end: number } {
  let end = start
  const places = Object.fromEntries(
    names.map((name, index) => {
      const [size = 0, sum = ''] = sizes[index] ?? []
      end += size
      return [name, { at: end - size, size, sum }]
    }),
  ) as Record<Name, SectionPlace>
  return { places, end }
}

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { version } from '../../../package.json'
import { isObject } from '../../core/json/values.ts'
import { COLUMNS, type Column, type Entry, type EntryHead, type StampList } from './entry.ts'

/** Grows with each change of what an index keeps. */
const LAYOUT = 4
/** Names what an index keeps, and the version of the wires that have read it. */
export const VERSION = `agentfold ${LAYOUT} ${version}`

/** The parts of a block, in their order. */
const SECTIONS = ['index', 'watched', ...COLUMNS, 'signature'] as const

type Section = (typeof SECTIONS)[number]

/** The folders of a listing, and what it has found. */
export interface ListingRecord {
  readonly stamps: StampList
  /** A checksum of the keys. */
  readonly keys: string
}

/** Changes of an index, which are kept as one block. */
export interface IndexChanges {
  readonly entries: readonly Entry[]
  readonly removed: readonly string[]
  /** Absent if not all sessions are read. */
  readonly listing?: ListingRecord
}

/** The first section of a block. */
interface BlockIndex {
  readonly heads: readonly EntryHead[]
  /** In bytes. */
  readonly signatures: readonly number[]
  readonly removed: readonly string[]
  readonly listing?: ListingRecord
}

interface SectionPlace {
  readonly at: number
  readonly size: number
  readonly sum: string
}

/** A block of a file, with the places of its sections. */
export interface Block {
  readonly index: BlockIndex
  /** The stamps of all its entries. Each is there once, because the sessions of a folder look at the same files. */
  readonly watched: StampList
  readonly sections: Readonly<Record<Section, SectionPlace>>
  /** In bytes. */
  readonly size: number
  readonly end: number
}

/** A section is not as it was written. */
export class DamagedIndexError extends Error {}

/** In bytes. The header of a block is padded with spaces. */
const HEADER = 1_024

/** No value of JSON has a line break, so this stands between two values alone. */
const SEPARATOR = ',\n'

/** Returns the bytes of a block: a header with the sizes and checksums of the sections, and the sections. */
export function blockBytes({ entries, removed, listing }: IndexChanges): Uint8Array {
  const index: BlockIndex = {
    heads: entries.map(({ head }) => head),
    signatures: entries.map(({ signature }) => signature.length),
    removed,
    ...(listing && { listing }),
  }
  const watched = new WatchedStamps()
  const columns = COLUMNS.map((name) =>
    Buffer.from(
      entries
        .map(({ values }) => (name === 'stamps' ? watched.add(values.stamps) : values[name]))
        .join(SEPARATOR),
    ),
  )
  const signature = Buffer.concat(entries.map((entry) => entry.signature))
  const first = [index, watched.list].map((value) => Buffer.from(JSON.stringify(value)))
  const sections = [...first, ...columns, signature]
  const places = sections.map((bytes) => [bytes.length, sumOf(bytes)])
  const text = JSON.stringify([VERSION, places])
  const header = Buffer.from(`${sumOf(Buffer.from(text))} ${text}`.padEnd(HEADER))
  return Buffer.concat([header, ...sections])
}

/** Keeps each stamp once. */
class WatchedStamps {
  readonly list: string[] = []
  readonly #places = new Map<string, number>()

  /** Adds a list of stamps, and returns the places of its paths as JSON. */
  add(json: string): string {
    const stamps: StampList = JSON.parse(json)
    const places: number[] = []
    for (let at = 0; at < stamps.length; at += 2) {
      const [path = '', stamp = ''] = stamps.slice(at, at + 2)
      const name = `${path}\n${stamp}`
      const place = this.#places.get(name) ?? this.list.push(path, stamp) - 2
      this.#places.set(name, place)
      places.push(place)
    }
    return JSON.stringify(places)
  }
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
    const [version, places] = JSON.parse(text) as [string, readonly [size: number, sum: string][]]
    if (version !== VERSION) return undefined
    let end = at + HEADER
    const sections = Object.fromEntries(
      SECTIONS.map((name, index) => {
        const [size = 0, sectionSum = ''] = places[index] ?? []
        end += size
        return [name, { at: end - size, size, sum: sectionSum }]
      }),
    ) as Record<Section, SectionPlace>
    const index = this.#section(sections.index)
    const watched = this.#section(sections.watched)
    if (!index || !watched || this.size < end) return undefined
    const read: unknown = JSON.parse(index.toString())
    if (!isObject(read)) return undefined
    return {
      index: read as unknown as BlockIndex,
      watched: JSON.parse(watched.toString()),
      sections,
      size: end - at,
      end,
    }
  }

  /** Returns the values of a block as JSON. */
  texts({ sections, watched }: Block, column: Column): readonly string[] {
    const texts = this.#whole(sections[column]).toString().split(SEPARATOR)
    if (column !== 'stamps') return texts
    return texts.map((text) => {
      const places: readonly number[] = JSON.parse(text)
      return JSON.stringify(places.flatMap((at) => watched.slice(at, at + 2)))
    })
  }

  /** Returns the signatures of a block. */
  signatures({ sections, index }: Block): readonly Uint8Array[] {
    const bytes = this.#whole(sections.signature)
    let end = 0
    return index.signatures.map((size) => {
      end += size
      return bytes.subarray(end - size, end)
    })
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
  append(bytes: Uint8Array): void {
    if (writeSync(this.#file, bytes) !== bytes.length) throw new DamagedIndexError('a part of a block')
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Puts a file with these blocks in the place of a file. A process that has the old one open still reads it. */
  static replace(path: string, blocks: Iterable<Uint8Array>): void {
    const temporary = `${path}.new`
    removeStale(temporary)
    // Another process that does the same has the file: then this fails.
    const file = openSync(temporary, 'wx', 0o600)
    try {
      for (const bytes of blocks)
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

/** In ms. It takes less than some seconds to write the file. */
const STALE_MS = 60_000

/** Removes the file of a process that was killed. */
function removeStale(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && Date.now() - stats.mtimeMs > STALE_MS) rmSync(path, { force: true })
}

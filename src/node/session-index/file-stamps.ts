import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import { listFiles, lowerNames, namesIfReadable, resolveLink } from '../files/list-files.ts'
import { isMissing } from '../files/read-error.ts'
import { READ } from '../files/read-piece.ts'

/** The stamps of files and folders. Each is asked for once. */
export class FileStamps {
  readonly #known = new Map<string, string>()
  readonly #folders = new FolderNames()

  of(path: string): string {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const stamp = stampOf(path)
    this.#known.set(path, stamp)
    return stamp
  }

  /** Whether the stamp of a path is that one. */
  has(path: string, stamp: string): boolean {
    if (stamp === GONE && !this.#known.has(path) && this.#folders.lacks(path)) return true
    return this.of(path) === stamp
  }

  /** Keeps the stamp of a file that a listing has looked at. */
  keep(path: string, stamp: string): void {
    this.#known.set(path, stamp)
  }
}

export const GONE = 'gone'

/**
 * The names in folders. More than half of the paths of a session lead to nothing, such as that of a folder for agents, and
 * one look at a folder answers for all of them.
 */
class FolderNames {
  /** Undefined for a folder that cannot be read. */
  readonly #known = new Map<string, ReadonlySet<string> | undefined>()
  readonly #asked = new Map<string, number>()

  /** Whether there is surely nothing at a path. A file system may take capitals, and letters outside ASCII, for others. */
  lacks(path: string): boolean {
    const [folder, name] = parted(path)
    // A root is in no folder.
    if (folder === path) return false
    if (this.#known.has(folder)) return lacksName(this.#known.get(folder), name)
    const [above, folderName] = parted(folder)
    if (above !== folder && lacksName(this.#known.get(above), folderName)) return true
    const asked = (this.#asked.get(folder) ?? 0) + 1
    this.#asked.set(folder, asked)
    if (asked < FEWEST) return false
    const names = namesIfReadable(folder)
    const lower = names && lowerNames(names)
    this.#known.set(folder, lower)
    return lacksName(lower, name)
  }
}

/** A look at a folder takes longer than looks at fewer files. */
const FEWEST = 4

/** Whether a folder with these names, in lower case, surely lacks one. */
export function lacksName(names: ReadonlySet<string> | undefined, name: string): boolean {
  return names !== undefined && PLAIN.test(name) && !names.has(name.toLowerCase())
}

/** The characters that each file system keeps apart, but for their case. */
const PLAIN = /^[\w.-]*\w$/

/** Returns the folder of a path, and the name behind it. */
export function parted(path: string): readonly [folder: string, name: string] {
  return [dirname(path), basename(path)]
}

function stampOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats ? stampOfStats(stats) : GONE
  } catch (error) {
    if (isMissing(error)) return GONE
    return 'unreadable'
  }
}

/** Nobody can set the time of the last change of a file's node, so it shows a change that keeps size and time. */
export function stampOfStats({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`
}

/** Returns the last change in a stamp, in ms since the epoch. 0 for what is gone. */
function changedAtIn(stamp: string): number {
  const [, modified = '0', changed = '0'] = stamp.split(' ')
  return Math.max(Number(modified), Number(changed)) || 0
}

/** Whether the stamps of all those paths are as they were. */
export function areSame(list: readonly string[], stamps: FileStamps): boolean {
  for (let at = 0; at < list.length; at += 2)
    if (!stamps.has(list[at] ?? '', list[at + 1] ?? '')) return false
  return true
}

/** The clock of a file system goes in steps: of 10 ms at most on the usual ones, and of 2 s on FAT. */
const RECENT_MS = 2_000

/** Whether one of the stamps is so new that a change may leave it as it is. `now` is in ms since the epoch. */
export function isAnyRecent(list: readonly string[], now: number): boolean {
  return list.some((stamp, at) => at % 2 === 1 && changedAtIn(stamp) > now - RECENT_MS)
}

/** Notes the files and folders that decide a session while they are read. */
export class SourceTracer {
  readonly #path: string
  readonly #stamps: FileStamps
  readonly #isNeighbour: (path: string) => boolean
  readonly #found = new Map<string, string>()
  #hasNeighbours = false

  /** `isNeighbour` says whether a path is that of another session in the folder, or is in that session's own folder. */
  constructor(path: string, stamps: FileStamps, isNeighbour: (path: string) => boolean) {
    this.#path = path
    this.#stamps = stamps
    this.#isNeighbour = isNeighbour
  }

  /** The paths, each with its stamp after it. */
  get stamps(): readonly string[] {
    return [...this.#found].flat()
  }

  get hasNeighbours(): boolean {
    return this.#hasNeighbours
  }

  add(path: string): void {
    if (!this.#found.has(path)) this.#found.set(path, this.#stamps.of(path))
  }

  /** Adds a folder with all folders below it, as a reading goes through them. */
  async addFolders(folder: string): Promise<void> {
    this.add(folder)
    if ((await resolveLink(folder))?.isFolder !== true) return
    const add = (path: string) => this.add(path)
    // Everything in the folder may be a part of the session.
    for (const path of await listFiles(folder, () => true, { onFolder: add })) this.add(path)
  }

  /** Returns a reader that notes what it reads. The beginning of a neighbour's file is noted as such. */
  reader(reader: FileReader): FileReader {
    const add = (path: string) => this.add(path)
    const addBeginning = (path: string) => this.#addOrNeighbour(path)
    return {
      pass: reader.pass,
      names: (path) => {
        this.#addOrNeighbour(path)
        return reader.names(path)
      },
      value: (path) => {
        add(path)
        return reader.value(path)
      },
      *values(path) {
        addBeginning(path)
        yield* reader.values(path)
        add(path)
      },
    }
  }

  #addOrNeighbour(path: string): void {
    if (path === this.#path) return
    if (path === dirname(this.#path) || this.#isNeighbour(path)) this.#hasNeighbours = true
    else this.add(path)
  }
}

/** The proof that a file has only grown. */
export interface ContentGuard {
  /** In bytes. */
  readonly size: number
  /** The checksum of the first bytes and of the last ones before the size. */
  readonly checksum: string
}

/** In bytes. */
const GUARD = 512

/**
 * Returns the guard of the first `size` bytes of a file. A file that is shorter, gone or not readable has another
 * checksum than any other.
 */
export function guardOf(path: string, size: number): ContentGuard {
  try {
    const file = openSync(path, READ)
    try {
      const hash = createHash('sha1')
      for (const from of [0, Math.max(0, size - GUARD)]) {
        const buffer = new Uint8Array(Math.min(GUARD, size))
        const length = readSync(file, buffer, 0, buffer.length, from)
        hash.update(buffer.subarray(0, length)).update(`/${length}/`)
      }
      return { size, checksum: hash.digest('base64url') }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return { size, checksum: isMissing(error) ? GONE : 'unreadable' }
  }
}

/** Returns the size in a stamp, in bytes. */
export function sizeIn(stamp: string): number {
  return Number.parseInt(stamp, 10) || 0
}

/** Whether a path leads to nothing. */
export function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

import { createHash } from 'node:crypto'
import type { SessionProgress } from '../follow/progress.ts'
import type { ListIssue } from '../list/session-summary.ts'
import type { ContentGuard } from './file-stamps.ts'
import type { SessionDetails } from './session-details.ts'
import type { KeptRow, RowFacts } from './session-row.ts'

/** The facts that an index has of a file, or of a session in a database. An index holds the heads of all sessions in memory. */
export interface EntryHead {
  /** The path of the file, or the place in the database. */
  readonly key: string
  /** The time of the file's last change, in ms since the epoch. 0 for a session in a database. */
  readonly changedAt: number
  /** Shows whether the file has only grown. */
  readonly guard: ContentGuard
  /**
   * A checksum of the files that a look at the beginnings of other sessions in the folder has found. They may be its
   * agents, or what it goes on from. Absent if it needs no such look.
   */
  readonly found?: string
  /** A change so soon after the last one would leave the stamps as they are, so the session is read again. */
  readonly isRecent: boolean
  /** Absent if the file holds no session. */
  readonly facts?: RowFacts
  /** Why it cannot be read. */
  readonly issue?: ListIssue
}

/** The paths of files and folders, each with its stamp after it. The first path is that of the session's own file. */
export type StampList = readonly string[]

/** The folders of a listing, and what it has found. */
export interface ListingRecord {
  /** None of them was recent at the time. */
  readonly stamps: StampList
  /** A checksum of the keys. */
  readonly keys: string
}

/** The values of an entry. A question reads those that it needs. */
export interface EntryValues {
  /** The stamps of the files and folders that decide the session, before it was read. */
  readonly stamps: StampList
  readonly row: KeptRow | null
  readonly parts: SessionDetails['parts']
  readonly tools: SessionDetails['tools']
  readonly details: Omit<SessionDetails, 'parts' | 'tools'>
  /** The place up to which the files are read. Null for a session that was read once, and for whole files. */
  readonly progress: KeptProgress | null
}

/** A place, and a checksum of what was read of each file up to it. */
export interface KeptProgress {
  readonly place: SessionProgress
  readonly sums: readonly string[]
}

/** The name of a value. */
export type Column = keyof EntryValues

/** The names of all values, in the order in which an index keeps them. */
export const COLUMNS = ['stamps', 'row', 'parts', 'tools', 'details', 'progress'] as const satisfies Column[]

/** An entry. Its values are JSON, as they are kept. */
export interface Entry {
  readonly head: EntryHead
  readonly values: Readonly<Record<Column, string>>
  /** As `SignatureMaker` makes it. */
  readonly signature: Uint8Array
  /** As `packedTexts` makes them. */
  readonly texts: Uint8Array
}

/** The values of an entry that are no JSON. */
export type Binary = 'signature' | 'texts'

/** Their names, in the order in which an index keeps them. */
export const BINARIES = ['signature', 'texts'] as const satisfies Binary[]

/** Returns an entry with its values as JSON. */
export function entryOf(
  head: EntryHead,
  values: EntryValues,
  { signature, texts }: Pick<Entry, Binary>,
): Entry {
  const { stamps, row, parts, tools, details, progress } = values
  const json = {
    stamps: JSON.stringify(stamps),
    row: JSON.stringify(row),
    parts: JSON.stringify(parts),
    tools: JSON.stringify(tools),
    details: JSON.stringify(details),
    progress: JSON.stringify(progress),
  }
  return { head, values: json, signature, texts }
}

/** Keeps each stamp of a chunk once, because the sessions of a folder look at the same files. */
export class SharedStamps {
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

/** Returns a checksum of keys in any order. */
export function keysSum(keys: readonly string[]): string {
  return createHash('sha1')
    .update([...keys].sort().join('\0'))
    .digest('base64url')
}

/** A part of an index is not as it was written. */
export class DamagedIndexError extends Error {}

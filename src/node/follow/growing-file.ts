import { decodedEntries, type Entry } from '../../reading/input/entries.ts'
import { decodeLines, endLines, initialLines, isHeading, type LineMemory } from '../../reading/input/jsonl.ts'
import type { ReadIssue } from '../../reading/source.ts'
import { isMissing, readError } from '../files/read-error.ts'
import { contentSize, fileStamp, readPiece, readPieces } from '../files/read-piece.ts'

/** A change of a file that is more than further content. */
type FileChange = Extract<RestartReason, 'truncated' | 'replaced' | 'removed'>

/** The place up to which a file is read, as plain JSON. Offsets are in bytes. */
export interface FilePlace {
  /** The end of the bytes that were read. */
  readonly offset: number
  /** The start of the first line that is not complete. */
  readonly lineStart: number
  /** The number of complete lines. */
  readonly lineCount: number
  /** The first bytes of the file, in Base64. */
  readonly head: string
  /** The last bytes before `offset`, in Base64. */
  readonly tail: string
}

const START: FilePlace = { offset: 0, lineStart: 0, lineCount: 0, head: '', tail: '' }

/** In bytes. Lines begin with ids and times, so other content differs within these bytes. */
const GUARD = 256

const NEWLINE = 10

/** A file of lines that a program appends to. Each reading returns the lines that are new. */
export class GrowingFile {
  readonly #path: string
  #place: FilePlace
  #next: number
  #lines: LineMemory
  /** The size and time of the last reading. An unchanged file is not opened. */
  #stamp = ''
  /** The size and time at the last look. A change between the look and the reading shows at the next look. */
  #seen = ''

  constructor(path: string, place: FilePlace = START) {
    this.#path = path
    this.#place = place
    this.#next = place.lineStart
    const isText = isHeading(fromBase64(place.head).toString().trimStart().split('\n')[0] ?? '')
    this.#lines = { ...initialLines, ended: place.lineCount, ...(isText !== undefined && { isText }) }
  }

  get place(): FilePlace {
    return this.#place
  }

  /** Returns the change that makes the entries so far useless. */
  async findChange(): Promise<FileChange | undefined> {
    try {
      this.#seen = await fileStamp(this.#path)
      if (this.#seen === this.#stamp) return undefined
      if ((await contentSize(this.#path)) < this.#place.offset) return 'truncated'
      return (await this.#hasKnownBytes()) ? undefined : 'replaced'
    } catch (error) {
      if (isMissing(error)) return 'removed'
      throw readError(error, this.#path)
    }
  }

  /** A file that another one replaced has other bytes at its beginning, or before the place. */
  async #hasKnownBytes(): Promise<boolean> {
    const { offset, head, tail } = this.#place
    const [first, last] = [fromBase64(head), fromBase64(tail)]
    return (
      toBase64(await readPiece(this.#path, 0, first.length)) === head &&
      toBase64(await readPiece(this.#path, offset - last.length, last.length)) === tail
    )
  }

  /** Returns the entries of the bytes up to `limit` that are new. */
  async *read(limit: number = Number.POSITIVE_INFINITY): AsyncGenerator<readonly Entry[], void> {
    try {
      if (this.#seen === '' || this.#seen !== this.#stamp)
        for await (const bytes of readPieces(this.#path, this.#next, limit)) yield this.#decode(bytes)
      this.#stamp = limit === Number.POSITIVE_INFINITY ? this.#seen : ''
      yield this.#takeCompleteRest()
    } catch (error) {
      throw readError(error, this.#path)
    }
  }

  #decode(bytes: Uint8Array): readonly Entry[] {
    const decoded = decodeLines(this.#lines, bytes)
    const newline = bytes.lastIndexOf(NEWLINE)
    const { head, tail, lineStart } = this.#place
    this.#lines = decoded.memory
    this.#place = {
      offset: this.#next + bytes.length,
      lineStart: newline < 0 ? lineStart : this.#next + newline + 1,
      lineCount: decoded.memory.ended,
      head: this.#next < GUARD ? extendedHead(head, bytes, this.#next) : head,
      tail: toBase64(lastBytes(this.#next === this.#place.offset ? fromBase64(tail) : NONE, bytes)),
    }
    this.#next = this.#place.offset
    return decodedEntries(decoded)
  }

  /** A program may write the newline later than its line. The reading of a whole file also takes a last line without a newline. */
  #takeCompleteRest(): readonly Entry[] {
    const { rest, bytes, ended, isText } = this.#lines
    if (isText || bytes.length > 0 || !rest.trimEnd().endsWith('}')) return []
    const last = endLines(this.#lines)
    if (last.issues.length > 0 || last.lines.length === 0) return []
    this.#lines = { ...initialLines, ended }
    this.#place = { ...this.#place, lineStart: this.#place.offset }
    return decodedEntries(last)
  }
}

const NONE: Uint8Array = new Uint8Array()

function extendedHead(head: string, bytes: Uint8Array, at: number): string {
  return toBase64(Buffer.concat([fromBase64(head).subarray(0, at), bytes]).subarray(0, GUARD))
}

function lastBytes(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= GUARD) return bytes.subarray(-GUARD)
  return Buffer.concat([before, bytes]).subarray(-GUARD)
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

/**
 * The reason why following began again:
 * - `truncated`: a file is shorter than before
 * - `replaced`: a file has other content than before
 * - `removed`: a file is gone
 * - `reordered`: a line arrived late, and the order of the lines' times gives another state
 * - `rewritten`: the program wrote the whole file again, and its messages do not continue the old ones
 * - `unusable-progress`: the value to resume from is not a progress that this version saved
 */
export type RestartReason =
  | 'truncated'
  | 'replaced'
  | 'removed'
  | 'reordered'
  | 'rewritten'
  | 'unusable-progress'

/** The events of the update start at the initial state, and not at the state of the last update. */
export interface RestartIssue {
  readonly code: 'restarted'
  readonly reason: RestartReason
  /** The file with the change. */
  readonly path: string
}

/** The system cannot watch files. Following goes on with the slow poll alone. */
export interface WatchIssue {
  readonly code: 'watch-failed'
  readonly reason: string
}

/** A problem of a followed session. */
export type FollowIssue = ReadIssue | RestartIssue | WatchIssue

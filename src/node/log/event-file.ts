import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withinLimit } from '../../server/log/arguments.ts'
import { LogError } from '../../server/log/log-error.ts'
import { type Batch, batchOf, CUT, countedBatches, lineOf, type Start, seqBefore } from './batch.ts'
import { syncFolder, unlessMissing } from './disk.ts'

/** The number of the last appends whose places in the file are known, so that a reader near the end does not read from the beginning. */
const KNOWN_PLACES = 256

/** The number of lines at the end of a file that are tried before the whole file is read. Most files need one. */
const TRIED_LINES = 8

/** A place in the file in bytes, and the number of the last event before it. */
interface Place {
  readonly seq: number
  readonly offset: number
}

/** The end of the lines that this process knows. */
interface Tail {
  readonly seq: number
  readonly size: number
  /** The place after the last complete line. */
  readonly end: number
  /** The number after which the next file has the events, if there is one. */
  readonly movedAfter: number | undefined
}

/** The events of a session, or the later part of them, in one file to which lines are only added. */
export class EventFile {
  readonly path: string
  /** The number of the last event that was dropped. */
  readonly droppedSeq: number
  #tail: Tail
  #places: readonly Place[]

  private constructor(path: string, droppedSeq: number, { seq, offset }: Place) {
    this.path = path
    this.droppedSeq = droppedSeq
    this.#tail = { seq, size: offset, end: offset, movedAfter: undefined }
    this.#places = [{ seq, offset }]
  }

  get #first(): Place {
    return { seq: this.droppedSeq, offset: 0 }
  }

  /** Reads the first line and the last one that counts. Throws a `LogError` (`broken`) if one of them is damaged. */
  static async open(path: string): Promise<EventFile> {
    const file = await unlessMissing(open(path, 'r'))
    if (!file) return new EventFile(path, 0, { seq: 0, offset: 0 })
    try {
      const { size } = await file.stat()
      const droppedSeq = await droppedIn(file, path, size)
      const opened = new EventFile(path, droppedSeq, await lastPlace(file, path, size))
      await opened.#takeIn(file, size)
      return opened
    } finally {
      await file.close()
    }
  }

  get lastSeq(): number {
    return this.#tail.seq
  }

  get movedAfter(): number | undefined {
    return this.#tail.movedAfter
  }

  /** Whether there is no line yet. */
  get isNew(): boolean {
    return this.#tail.size === 0
  }

  /** Reads the lines that another process has added. Returns false if the file is missing. */
  async refresh(): Promise<boolean> {
    const found = await unlessMissing(stat(this.path))
    if (!found || found.size === this.#tail.size) return found !== undefined
    if (found.size < this.#tail.size)
      throw new LogError('broken', `a part of the file is missing: ${this.path}`)
    const file = await unlessMissing(open(this.path, 'r'))
    if (!file) return false
    try {
      await this.#takeIn(file, found.size)
      return true
    } finally {
      await file.close()
    }
  }

  /**
   * Adds a line, and returns after the disk has it. Returns false if the line does not count: a process that wrote at
   * the same time was faster or was killed, or the file is gone. `hasNewer` says whether a newer file has the events.
   */
  async append(
    by: string,
    batch: Pick<Batch, 'events' | 'movedAfter'>,
    hasNewer: () => Promise<boolean>,
  ): Promise<boolean> {
    const { size, end, seq } = this.#tail
    const ending = end < size ? `${CUT}\n` : ''
    const line = { ...batch, by, seq: seq + batch.events.length, at: size + ending.length }
    const bytes = Buffer.from(ending + withinLimit(() => lineOf(line)))
    const file = await unlessMissing(open(this.path, this.isNew ? 'a+' : TO_EXTEND, 0o600))
    if (!file) return false
    try {
      if (this.isNew) await syncFolder(dirname(this.path))
      // One call, because another process may write between two.
      const { bytesWritten } = await file.write(bytes)
      await file.datasync()
      const found = await file.stat()
      const isAlone = bytesWritten === bytes.length && found.size === size + bytes.length
      if (isAlone) this.#extend(line, found.size)
      else if (!(await this.#takeIn(file, found.size, line))) return false
      return !(await hasNewer()) || (await this.#hasEnd(file))
    } finally {
      await file.close()
    }
  }

  /** Opens the file at once, and returns the batches of the events after the number, and perhaps earlier ones. */
  async batches(afterSeq: number): Promise<AsyncIterable<Batch>> {
    const { offset, seq } = this.#places.findLast((place) => place.seq <= afterSeq) ?? this.#first
    const file = await unlessMissing(open(this.path, 'r'))
    const start = { path: this.path, seq, readSeq: afterSeq }
    return readAndClose(file, { from: offset, to: this.#tail.end }, start)
  }

  /** A newer file has the lines of one that was ended, and none of one that a late process made anew. */
  async #hasEnd(file: FileHandle): Promise<boolean> {
    await this.#takeIn(file, (await file.stat()).size)
    return this.movedAfter !== undefined
  }

  /** The file has the written line alone. */
  #extend({ seq, at, movedAfter, events }: Batch & { readonly at: number }, size: number): void {
    this.#tail = { seq, size, end: size, movedAfter }
    this.#places = [...this.#places.slice(-KNOWN_PLACES), { seq: seq - events.length, offset: at }]
  }

  /** Takes in the lines up to the size. Returns whether the written line is one of them, and counts. */
  async #takeIn(file: FileHandle, size: number, written?: Batch): Promise<boolean> {
    let { seq, movedAfter, end: from } = this.#tail
    let isCounted = false
    const to = movedAfter === undefined ? size : from
    const start = { path: this.path, seq, readSeq: Number.POSITIVE_INFINITY }
    for await (const batch of countedBatches(linesIn(file, { from, to }), start)) {
      ;({ seq, movedAfter } = batch)
      isCounted ||= written !== undefined && batch.by === written.by && batch.at === written.at
    }
    this.#tail = { seq, size, movedAfter, end: await lineStart(file, size) }
    return isCounted
  }
}

/** Writes to a file that is there. */
const TO_EXTEND = constants.O_RDWR | constants.O_APPEND

async function* readAndClose(
  file: FileHandle | undefined,
  range: Range,
  start: Start,
): AsyncGenerator<Batch, void> {
  if (!file) return
  try {
    yield* countedBatches(linesIn(file, range), start)
  } finally {
    await file.close()
  }
}

async function droppedIn(file: FileHandle, path: string, size: number): Promise<number> {
  for await (const { seq, events } of countedBatches(linesIn(file, { from: 0, to: size }), fromStart(path)))
    return events.length === 0 ? seq : 0
  return 0
}

/** Returns the place of the last line that is where its writer expected it, or of the first line. */
async function lastPlace(file: FileHandle, path: string, size: number): Promise<Place> {
  let to = await lineStart(file, size)
  for (let tries = 0; to > 0 && tries < TRIED_LINES; tries += 1) {
    const from = await lineStart(file, to - 1)
    const batch = batchOf((await bytesOf(file, { from, to: to - 1 })).toString('utf8'), path)
    if (batch?.at === from) return { seq: seqBefore(batch), offset: from }
    to = from
  }
  return { seq: 0, offset: 0 }
}

function fromStart(path: string): Start {
  return { path, seq: 0, readSeq: Number.POSITIVE_INFINITY }
}

/** A part of a file, in bytes. */
interface Range {
  readonly from: number
  readonly to: number
}

const NEWLINE = 0x0a
const PIECE = 65_536

/** Returns the lines of a part of the file without their ends. A last line without an end is none. */
async function* linesIn(file: FileHandle, { from, to }: Range): AsyncGenerator<string, void> {
  let parts: Buffer[] = []
  for (let place = from; place < to; ) {
    const piece = await bytesOf(file, { from: place, to: Math.min(to, place + PIECE) })
    if (piece.length === 0) return
    let start = 0
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      parts.push(piece.subarray(start, end))
      start = end + 1
      yield Buffer.concat(parts).toString('utf8')
      parts = []
    }
    parts.push(piece.subarray(start))
    place += piece.length
  }
}

/** Returns the place after the last end of a line before the place, or 0. */
async function lineStart(file: FileHandle, before: number): Promise<number> {
  for (let to = before; to > 0; to -= PIECE) {
    const from = Math.max(0, to - PIECE)
    const at = (await bytesOf(file, { from, to })).lastIndexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return 0
}

/** Returns the bytes of the part that the file has. */
async function bytesOf(file: FileHandle, { from, to }: Range): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(to - from), position: from })
  return buffer.subarray(0, bytesRead)
}

import { closeSync, constants, createReadStream, openSync, readSync, type Stats, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { TranscriptError } from '../../reading/input/combined.ts'
import { decompressFile, type encodingOf, isCompressed } from './decode-text.ts'
import { readError } from './read-error.ts'

/**
 * Returns the bytes of a file from a position on: `length` of them, or fewer at its end. It opens the file for each
 * piece, because a session may have more files than the system can open at once. The calls are synchronous: for
 * thousands of small files, a promise for each of them takes longer than they do.
 */
export async function readPiece(path: string, position: number, length: number): Promise<Uint8Array> {
  if (length === 0) return new Uint8Array()
  if (isCompressed(path)) return (await readCompressed(path)).subarray(position, position + length)
  const file = openSync(path, READ)
  try {
    return fill(file, position, new Uint8Array(Buffer.allocUnsafeSlow(length).buffer))
  } finally {
    closeSync(file)
  }
}

/** A pipe that has taken the place of a file never makes the process wait for its writer. */
export const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Reads until the buffer is full. A shorter result is the end of the file. */
function fill(file: number, position: number, buffer: Uint8Array): Uint8Array {
  for (let filled = 0; filled < buffer.length; ) {
    const length = readSync(file, buffer, filled, buffer.length - filled, position + filled)
    if (length === 0) return buffer.subarray(0, filled)
    filled += length
  }
  return buffer
}

async function readCompressed(path: string): Promise<Uint8Array> {
  return decompressFile(path, await readFile(path))
}

/** Returns the size of a file's content in bytes. */
export async function contentSize(path: string): Promise<number> {
  return isCompressed(path) ? (await readCompressed(path)).length : statSync(path).size
}

/** In bytes. */
const PIECE = 2 ** 18

/** Reads a file piece by piece. A compressed file is one piece. `size` is the expected one, so that a small file needs no large buffer. */
export async function* readPieces(
  path: string,
  start = 0,
  end: number = Number.POSITIVE_INFINITY,
  size: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array, void> {
  if (isCompressed(path)) {
    const content = (await readCompressed(path)).subarray(start, end)
    if (content.length > 0) yield content
    return
  }
  for (let position = start; position < end; ) {
    // The byte more shows the end of the file.
    const expected = size > position ? size - position + 1 : PIECE
    const length = Math.min(PIECE, end - position, expected)
    const piece = await readPiece(path, position, length)
    if (piece.length > 0) yield piece
    if (piece.length < length) return
    position += length
  }
}

/** Reads a file or a pipe in chunks. Throws a `TranscriptError`. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    // A pipe has no places.
    const stats = statSync(path)
    const pieces = stats.isFile() ? readPieces(path, 0, undefined, stats.size) : createReadStream(path)
    let isFirst = true
    for await (const chunk of pieces) {
      if (isFirst && isHole(chunk)) throw new TranscriptError('not-a-transcript', NUL_BYTES)
      isFirst = false
      yield chunk
    }
  } catch (error) {
    throw readError(error, path)
  }
}

const NUL_BYTES = 'not a transcript: it begins with thousands of NUL bytes'

/** Whether the beginning has NUL bytes alone. A sparse file of 100 GB, or a device without an end, is one line of them. */
function isHole(beginning: Uint8Array): boolean {
  return beginning.length >= PAGE && beginning.every((byte) => byte === 0)
}

/** In bytes. A device gives at least one page at once. */
const PAGE = 2 ** 12

/** The content of a file, of which a reader takes pieces. */
export interface Content {
  /** In bytes. */
  readonly size: number
  read(position: number, length: number): Promise<Uint8Array>
}

/** Opens the content of a file. A compressed one is decompressed once for all pieces. */
export async function openContent(path: string): Promise<Content> {
  if (!isCompressed(path))
    return { size: await contentSize(path), read: (position, length) => readPiece(path, position, length) }
  const bytes = await readCompressed(path)
  return {
    size: bytes.length,
    read: (position, length) => Promise.resolve(bytes.subarray(position, position + length)),
  }
}

/** Returns the last bytes of a content as text. A character that the piece cuts becomes U+FFFD. */
export async function readTail(
  { size, read }: Content,
  length: number,
  encoding: ReturnType<typeof encodingOf> = 'utf-8',
): Promise<string> {
  return new TextDecoder(encoding).decode(await read(Math.max(0, size - length), Math.min(size, length)))
}

/** Returns a text that changes whenever a file or the names in a folder change. */
export async function fileStamp(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  return `${size} ${mtimeMs} ${ino}`
}

/** Returns the facts of a path. Throws the error of an input that cannot be read. */
export function statsOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    throw readError(error)
  }
}

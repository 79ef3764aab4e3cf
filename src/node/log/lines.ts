import type { FileHandle } from 'node:fs/promises'

/** A part of a file, in bytes. */
export interface Range {
  readonly from: number
  readonly to: number
}

const NEWLINE = 0x0a
const PIECE = 65_536

/** Returns the lines of a part of the file without their ends. A last line without an end is none. */
export async function* linesIn(file: FileHandle, { from, to }: Range): AsyncGenerator<string, void> {
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
export async function lineStart(file: FileHandle, before: number): Promise<number> {
  for (let to = before; to > 0; to -= PIECE) {
    const from = Math.max(0, to - PIECE)
    const at = (await bytesOf(file, { from, to })).lastIndexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return 0
}

/** Returns the bytes of the part that the file has. */
export async function bytesOf(file: FileHandle, { from, to }: Range): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(to - from), position: from })
  return buffer.subarray(0, bytesRead)
}

import { type FileHandle, open } from 'node:fs/promises'
import { parseJson } from '../../json/values.ts'
import { type AppendedBatch, batchOf } from './batches.ts'
import { hasCode } from './disk.ts'

/** The facts that the beginning and the end of a file have. */
export interface FileFacts {
  readonly size: number
  readonly lastSeq: number
  readonly droppedSeq: number
}

const NEWLINE = 0x0a
const PIECE = 65_536

/**
 * Returns the facts of a session's file, and cuts a last line that was not written to its end. It reads no more than the first and the last
 * line. Throws a `LogError` (`broken`) if one of them is damaged.
 */
export async function repairFile(path: string): Promise<FileFacts> {
  const file = await openIfThere(path)
  if (!file) return { size: 0, lastSeq: 0, droppedSeq: 0 }
  try {
    const { size: found } = await file.stat()
    const size = (await newlineBefore(file, found)) + 1
    if (size < found) await file.truncate(size)
    if (size === 0) return { size, lastSeq: 0, droppedSeq: 0 }
    const lastFrom = (await newlineBefore(file, size - 1)) + 1
    const last = await batchAt(file, { from: lastFrom, to: size, path })
    const first = await batchAt(file, { from: 0, to: await firstEnd(file, size), path })
    return { size, lastSeq: last.seq, droppedSeq: first.seq - first.events.length }
  } finally {
    await file.close()
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r+')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Returns the place of the last end of a line before the place, or -1. */
async function newlineBefore(file: FileHandle, before: number): Promise<number> {
  for (let to = before; to > 0; to -= PIECE) {
    const from = Math.max(0, to - PIECE)
    const at = (await bytesOf(file, from, to)).lastIndexOf(NEWLINE)
    if (at >= 0) return from + at
  }
  return -1
}

async function firstEnd(file: FileHandle, size: number): Promise<number> {
  for (let from = 0; from < size; from += PIECE) {
    const at = (await bytesOf(file, from, Math.min(size, from + PIECE))).indexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return size
}

async function batchAt(
  file: FileHandle,
  { from, to, path }: { readonly from: number; readonly to: number; readonly path: string },
): Promise<AppendedBatch> {
  const line = await bytesOf(file, from, to)
  return batchOf(parseJson(line.toString('utf8')), path)
}

async function bytesOf(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer } = await file.read({ buffer: Buffer.alloc(to - from), position: from })
  return buffer
}

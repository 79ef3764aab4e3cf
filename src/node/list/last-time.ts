import { open } from 'node:fs/promises'
import { fileValue } from '../../session/input/jsonl.ts'
import { timeOf } from '../../session/input/transcript-order.ts'
import { readTextPiece } from '../files/read-piece.ts'
import { utcTime } from './utc-time.ts'

/** In bytes. Most last lines are shorter. */
const TAIL_SIZE = 2 ** 13

/** Returns the last time that the last lines of a file state. Undefined if they state none. */
export async function lastTimeOf(path: string): Promise<string | undefined> {
  // The first line may be cut, and is then no JSON.
  for (const line of (await readTail(path)).split('\n').reverse()) {
    const message = line.trim() === '' ? undefined : fileValue(line)
    if (message === undefined) continue
    const time = utcTime(timeOf({ line: 0, message }))
    if (time !== undefined) return time
  }
  return undefined
}

async function readTail(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const length = Math.min(size, TAIL_SIZE)
    return await readTextPiece(file, size - length, length)
  } finally {
    await file.close()
  }
}

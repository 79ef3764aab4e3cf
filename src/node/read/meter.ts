import { stat } from 'node:fs/promises'
import { wrapReadError } from '../files/read-error.ts'

/** Gets the part of a long session that was read, from 0 to 1. */
export type OnProgress = (part: number) => void

/** Returns the same chunks, and counts them. */
export type Meter = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/** In bytes. A shorter session needs no progress report. */
const LONG_SESSION = 4_000_000

/** Returns a meter for the files of one session. */
export async function meterOf(
  files: readonly { readonly path: string }[],
  onProgress: OnProgress | undefined,
): Promise<Meter> {
  if (!onProgress) return (chunks) => chunks
  let size = 0
  for (const { path } of files) size += (await wrapReadError(stat(path))).size
  if (size < LONG_SESSION) return (chunks) => chunks
  let read = 0
  return async function* (chunks) {
    for await (const chunk of chunks) {
      read += chunk.length
      onProgress(read / size)
      yield chunk
    }
  }
}

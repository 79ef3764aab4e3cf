import { decompress } from 'fzstd'
import { readError } from './read-error.ts'

/** Whether the name is that of a compressed file. A program may compress files that nobody has used for some time, and writes no more to them. */
export function isCompressed(path: string): boolean {
  return path.endsWith('.zst')
}

/** Returns the content of a compressed file. Throws a `TranscriptError` for a damaged one. */
export function decompressFile(path: string, bytes: Uint8Array): Uint8Array {
  try {
    return decompress(bytes)
  } catch (error) {
    throw readError(error, path)
  }
}

import { readdirSync } from 'node:fs'
import { isMissing, readError } from './read-error.ts'

/**
 * Returns the names in a folder, in their order. A folder that does not exist has none. Throws a `TranscriptError` for
 * one that cannot be read.
 */
export function namesInFolder(path: string): readonly string[] {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw readError(error, path)
  }
}

/** Returns the names in a folder as the system gives them. Undefined if it cannot be read; a folder that is gone has none. */
export function rawNames(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch (error) {
    return isMissing(error) ? [] : undefined
  }
}

import { readdirSync } from 'node:fs'
import { isMissing, readError } from './read-error.ts'

/** Returns the names in a folder, in their order. A folder that does not exist has none. Throws a `TranscriptError` for one that cannot be read. */
export function namesInFolder(path: string): readonly string[] {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw readError(error, path)
  }
}

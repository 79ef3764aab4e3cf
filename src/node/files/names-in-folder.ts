import { readdirSync } from 'node:fs'
import { TranscriptError } from '../../reading/input/combined.ts'
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

/** As `namesInFolder`, but undefined for a folder that cannot be read. */
export function namesIfReadable(path: string): readonly string[] | undefined {
  try {
    return namesInFolder(path)
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}

/** Returns names without their case, because a file system may take capitals for others. */
export function lowerNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()))
}

import type { FileReader } from '../../reading/input/transcript-files.ts'

/**
 * Returns a reader for one pass over many sessions. It reads the names in a folder once: to read them again for each
 * session of a large folder takes long.
 */
export function keepNames(reader: FileReader): FileReader {
  const kept = new Map<string, readonly string[]>()
  return {
    ...reader,
    names(path) {
      const names = kept.get(path) ?? reader.names(path)
      kept.set(path, names)
      return names
    },
  }
}

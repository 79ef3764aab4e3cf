import type { FolderReader } from '../../wires/format.ts'

/** The sessions of one folder look at the same beginnings, one after the other. */
const KEPT_FILES = 512

/** Returns a reader that keeps the first values of the last files that it has read. No program changes the first line of a file. */
export function keepFirstValues(reader: FolderReader): FolderReader {
  const kept = new Map<string, unknown>()
  return {
    ...reader,
    *values(path) {
      const isKept = kept.has(path)
      if (isKept) yield kept.get(path)
      let isFirst = true
      for (const value of reader.values(path)) {
        const isYielded = isFirst && isKept
        if (isFirst && !isKept) keep(path, value)
        isFirst = false
        if (!isYielded) yield value
      }
    },
  }

  function keep(path: string, value: unknown): void {
    const [oldest] = kept.keys()
    if (kept.size >= KEPT_FILES && oldest !== undefined) kept.delete(oldest)
    kept.set(path, value)
  }
}

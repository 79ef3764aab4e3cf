import { fileValue } from '../../../src/reading/input/jsonl.ts'
import type { FileReader } from '../../../src/reading/input/transcript-files.ts'

/** The texts of files, by path. Paths use `/`. */
export type Files = ReadonlyMap<string, string>

/** Reads files in memory for a format. */
export function readerOf(files: Files): FileReader {
  return {
    values: (path) => valuesOf(files.get(path) ?? ''),
    value: (path) => fileValue(files.get(path) ?? ''),
    names: (path) => namesIn(path, files),
  }
}

/** Returns the values of the lines that are not blank. */
function* valuesOf(text: string): Generator<unknown, void> {
  for (const [line] of text.matchAll(/\S[^\n]*/g)) yield fileValue(line)
}

/** Returns the sorted names in a folder. */
function namesIn(folder: string, files: Files): readonly string[] {
  const start = folder === '' || folder.endsWith('/') ? folder : `${folder}/`
  const names = [...files.keys()].flatMap((path) =>
    path.startsWith(start) ? (path.slice(start.length).split('/', 1)[0] ?? []) : [],
  )
  return [...new Set(names)].sort()
}

/** Some versions begin a file with lines that say nothing about the session. */
const MAX_LINES = 20

/** Returns the values of the first lines of a file, or the one value of a file that is a document. */
export function firstValues(reader: FileReader, path: string): readonly unknown[] {
  const document = path.endsWith('.json') ? reader.value(path) : undefined
  if (document !== undefined) return [document]
  const values: unknown[] = []
  for (const value of reader.values(path)) if (values.push(value) === MAX_LINES) break
  return values
}

import type { Architecture } from '../../programs/program.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import { detectValues } from '../../wires/detect.ts'
import { fileReader } from './file-reader.ts'

/** Returns the format of a file by its first lines; undefined if no format knows them. */
export function architectureOfFile(path: string): Architecture | undefined {
  return detectValues(firstValues(path))
}

/** Some versions begin a file with lines that show no format. */
const MAX_LINES = 20

/** Returns the values of the first lines. */
export function firstValues(path: string): readonly unknown[] {
  const values: unknown[] = []
  for (const value of fileReader.values(path)) {
    values.push(value)
    if (values.length === MAX_LINES) break
  }
  return values
}

/** The sessions of one folder look at the same beginnings, one after the other. */
const KEPT_FILES = 512

/** Returns a reader that keeps the first values of the last files that it has read. No program changes the first line of a file. */
export function keepFirstValues(reader: FileReader): FileReader {
  const kept = new Map<string, unknown>()
  return {
    ...reader,
    pass: {},
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

/** Whether a text begins with an object or a list, and ends before that does. */
export function isCutValue(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === '"') isQuoted = !isQuoted
    else if (isQuoted) at += letter === '\\' ? 1 : 0
    else if (letter === '{' || letter === '[') depth += 1
    else if (letter === '}' || letter === ']') depth -= 1
    if (depth === 0 && letter.trim() !== '') return false
  }
  return true
}

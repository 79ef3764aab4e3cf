import type { Architecture } from '../../programs/program.ts'
import { architectureOf } from '../../wires/detect.ts'
import { fileReader } from './file-reader.ts'

/** Returns the format of a file by its first lines; undefined if no format knows them. */
export function architectureOfFile(path: string): Architecture | undefined {
  for (const value of firstValues(path)) {
    const found = architectureOf(value)
    if (found) return found
  }
  return undefined
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

import { isObject, parseJson } from '../../core/json/values.ts'

/** The start of an object with a key. Inside the strings of whole JSON, the quote is escaped. */
const OBJECT_START = /\{"[^"\\]*":/g

/** A failed try may read the whole line, so a line that needs more of them is broken from there on. */
const MAX_FAILURES = 100

/**
 * Returns the values of a line that is not JSON, but may hold several objects. Two writers may share a file, or a new
 * process may append to a cut line. A broken object, or several in a row, gives undefined.
 */
export function joinedValues(line: string): readonly unknown[] {
  const starts = [0, ...objectStarts(line)]
  const values: unknown[] = []
  const tries = { failed: 0 }
  for (let at = 0; at < starts.length && tries.failed < MAX_FAILURES; ) {
    const found = objectFrom(line, starts, at, tries)
    at = found?.next ?? at + 1
    if (found || values.length === 0 || values.at(-1) !== undefined) values.push(found?.value)
  }
  return values
}

/** A colon, a comma or a bracket comes before an object inside another one. */
function objectStarts(line: string): readonly number[] {
  return [...line.matchAll(OBJECT_START)]
    .map(({ index }) => index)
    .filter((index) => index > 0 && !/[:,[] ?$/.test(line.slice(Math.max(0, index - 2), index)))
}

/** Returns the object that begins at a start, and the next start behind it. A start inside the object is no start. */
function objectFrom(
  line: string,
  starts: readonly number[],
  at: number,
  tries: { failed: number },
): { readonly value: unknown; readonly next: number } | undefined {
  for (let next = at + 1; next <= starts.length && tries.failed < MAX_FAILURES; next += 1) {
    const value = parseJson(line.slice(starts[at], starts[next]))
    if (isObject(value)) return { value, next }
    tries.failed += 1
  }
  return undefined
}

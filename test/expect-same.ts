import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../src/core/json/values.ts'

/** Where a law was checked: the recording, and the message or the cut. */
export interface LawPlace {
  readonly recording: string
  readonly cut?: number | string
}

/** The most characters of a value in a failure. */
const MOST = 300

/**
 * Throws unless the values are equal. The error has the place of the law and the first part that differs, in a few lines: a diff of two
 * states fills the screen, and is slow.
 */
export function expectSame(actual: unknown, expected: unknown, { recording, cut }: LawPlace): void {
  if (isDeepStrictEqual(actual, expected)) return
  const { path, left, right } = firstDifference(actual, expected)
  const lines = [
    `recording: ${recording}`,
    ...(cut === undefined ? [] : [`cut: ${cut}`]),
    `differs at: ${path === '' ? 'the value itself' : path.slice(1)}`,
    `expected: ${shown(right)}`,
    `actual: ${shown(left)}`,
  ]
  throw new Error(lines.join('\n'))
}

interface Difference {
  readonly path: string
  readonly left: unknown
  readonly right: unknown
}

function firstDifference(left: unknown, right: unknown, path = ''): Difference {
  const [before, after] = [fieldsOf(left), fieldsOf(right)]
  if (before && after && Array.isArray(left) === Array.isArray(right))
    for (const key of new Set([...after.keys(), ...before.keys()]))
      if (!isDeepStrictEqual(before.get(key), after.get(key)))
        return firstDifference(before.get(key), after.get(key), `${path}.${key}`)
  return { path, left, right }
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (value instanceof Map) return new Map([...value].map(([key, field]) => [String(key), field]))
  return isObject(value) || Array.isArray(value) ? new Map(Object.entries(value)) : undefined
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value))
  return text.length > MOST ? `${text.slice(0, MOST)}… (${text.length} characters)` : text
}

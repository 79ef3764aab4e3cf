import { compareStrings } from './compare-strings.ts'
import { isObject } from './values.ts'

/** Returns an object with its fields in one order, and any other value as it is. Then the order in which a program wrote the fields does not count. */
export function sortedFields(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => compareStrings(left, right)))
}

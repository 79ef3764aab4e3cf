import { MAX_DEPTH } from './depth.ts'
import { isObject } from './json.ts'

/** A state or a tree has what came in some levels further down. */
const LEVELS = 2 * MAX_DEPTH

/** Whether two JSON values are equal, the order of keys aside. Nested deeper than 512 levels they count as different. */
export function isEqual(left: unknown, right: unknown, depth: number = LEVELS): boolean {
  if (Object.is(left, right)) return true
  if (depth === 0) return false
  if (Array.isArray(left) && Array.isArray(right)) return areEqual(left, right, depth - 1)
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys)
    if (!Object.hasOwn(right, key) || !isEqual(left[key], right[key], depth - 1)) return false
  return true
}

function areEqual(left: readonly unknown[], right: readonly unknown[], depth: number): boolean {
  if (left.length !== right.length) return false
  // Not `every`, which passes over holes.
  for (let at = 0; at < left.length; at += 1) if (!isEqual(left[at], right[at], depth)) return false
  return true
}

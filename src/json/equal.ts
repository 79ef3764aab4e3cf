import { MAX_DEPTH } from './depth.ts'
import { isObject } from './values.ts'

/** A state or a tree has what came in some levels further down. */
const LEVELS = 2 * MAX_DEPTH

/** By a part of the left value: the part of the right one that it was found equal to. */
type Pairs = Map<object, object>

/** Whether two JSON values are equal, the order of keys aside. Nested deeper than 512 levels they count as different. */
export function isEqual(left: unknown, right: unknown, depth: number = LEVELS, known?: Pairs): boolean {
  if (Object.is(left, right)) return true
  if (depth === 0 || typeof left !== 'object' || left === null || typeof right !== 'object' || right === null)
    return false
  // What stands in many places is compared in one of them. Most values are done before there is anything to remember.
  const pairs: Pairs | undefined = known ?? (depth < LEVELS - 1 ? new Map() : undefined)
  if (pairs?.get(left) === right) return true
  if (!haveEqualParts(left, right, depth - 1, pairs)) return false
  pairs?.set(left, right)
  return true
}

function haveEqualParts(left: object, right: object, depth: number, pairs: Pairs | undefined): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    // Not `every`, which passes over holes.
    for (let at = 0; at < left.length; at += 1) if (!isEqual(left[at], right[at], depth, pairs)) return false
    return true
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys)
    if (!Object.hasOwn(right, key) || !isEqual(left[key], right[key], depth, pairs)) return false
  return true
}

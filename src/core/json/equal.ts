import { MAX_DEPTH } from './depth.ts'
import { isObject } from './values.ts'

/** A state holds incoming values some levels further down, so it can be deeper than one of them. */
const MAX_LEVELS = 2 * MAX_DEPTH

/** Maps a part of the left value to the equal part of the right value. */
type Pairs = Map<object, object>

/** Whether two JSON values are equal. The order of keys does not matter. Values deeper than 512 levels count as different. */
export function isEqual(left: unknown, right: unknown, depth: number = MAX_LEVELS, known?: Pairs): boolean {
  if (Object.is(left, right)) return true
  if (depth === 0 || typeof left !== 'object' || left === null || typeof right !== 'object' || right === null)
    return false
  // An object that has many places is compared at one of them. Flat values need no map.
  const pairs: Pairs | undefined = known ?? (depth < MAX_LEVELS - 1 ? new Map() : undefined)
  if (pairs?.get(left) === right) return true
  if (!haveEqualParts(left, right, depth - 1, pairs)) return false
  pairs?.set(left, right)
  return true
}

function haveEqualParts(left: object, right: object, depth: number, pairs: Pairs | undefined): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    // `every` would skip the holes of a list.
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

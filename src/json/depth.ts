import { isObject } from './values.ts'

/**
 * How deep a value may be nested that comes in. What is much deeper overflows the stack of whoever walks it, `JSON.stringify`
 * included.
 */
export const MAX_DEPTH = 256

/** From this length on a list may be mostly holes: billions of them, in a few bytes. */
const LONG = 10_000

/** Whether objects and lists are nested in the value more than `MAX_DEPTH` deep; one that contains itself is. */
export function isTooDeep(value: unknown, depth: number = MAX_DEPTH, seen?: Map<object, number>): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
  if (depth === 0) return true
  // What stands in many places is looked at in one of them. Most events are done before there is anything to remember.
  const found = seen ?? (depth < MAX_DEPTH - 1 ? new Map<object, number>() : undefined)
  if ((found?.get(value) ?? Number.POSITIVE_INFINITY) <= depth) return false
  if (isObject(value)) {
    // Not by `Object.values`: each event comes this way.
    for (const key in value) if (isTooDeep(value[key], depth - 1, found)) return true
  } else if (
    Array.isArray(value) &&
    (value.length < LONG ? value : Object.values(value)).some((item) => isTooDeep(item, depth - 1, found))
  )
    return true
  found?.set(value, depth)
  return false
}

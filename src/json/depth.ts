import { isObject } from './values.ts'

/** The greatest depth of an incoming value. A much deeper value overflows the stack of every recursive function, `JSON.stringify` too. */
export const MAX_DEPTH = 256

/** A longer list is searched by its keys: a list of a few bytes can have billions of holes. */
const MAX_DENSE_LENGTH = 10_000

/** Whether objects and lists are nested more than `MAX_DEPTH` levels deep in the value. A cyclic value is too deep. */
export function isTooDeep(value: unknown, depth: number = MAX_DEPTH): boolean {
  return hasFlaw(value, depth, isNoFlaw)
}

/**
 * Whether JSON cannot hold the value: it is too deep, or it has a bigint, a function, a symbol or a number that is not finite.
 * `JSON.stringify` throws for a bigint, and loses the others.
 */
export function isNoJson(value: unknown, depth: number = MAX_DEPTH): boolean {
  return hasFlaw(value, depth, isNoJsonLeaf)
}

/** A primitive value or a function. */
type Leaf = (value: unknown) => boolean

const isNoFlaw: Leaf = () => false

const isNoJsonLeaf: Leaf = (value) => {
  const type = typeof value
  return type === 'number'
    ? !Number.isFinite(value)
    : type === 'bigint' || type === 'function' || type === 'symbol'
}

function hasFlaw(value: unknown, depth: number, isFlaw: Leaf, visited?: Map<object, number>): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return isFlaw(value)
  if (depth === 0) return true
  // An object that has many places is visited at one of them. Flat values, which most events are, need no map.
  const known = visited ?? (depth < MAX_DEPTH - 1 ? new Map<object, number>() : undefined)
  if ((known?.get(value) ?? Number.POSITIVE_INFINITY) <= depth) return false
  if (isObject(value)) {
    // `Object.values` would make a list for each event.
    for (const key in value) if (hasFlaw(value[key], depth - 1, isFlaw, known)) return true
  } else if (
    Array.isArray(value) &&
    (value.length < MAX_DENSE_LENGTH ? value : Object.values(value)).some((item) =>
      hasFlaw(item, depth - 1, isFlaw, known),
    )
  )
    return true
  known?.set(value, depth)
  return false
}

import { isObject, type JsonValue } from './values.ts'

/** The greatest depth of an incoming value. A much deeper value overflows the stack of every recursive function, `JSON.stringify` too. */
export const MAX_DEPTH = 256

/** A longer list is searched by its keys, and copied without its holes: a list of a few bytes can have billions of them. */
const MAX_DENSE_LENGTH = 10_000

/** Whether objects and lists are nested more than `MAX_DEPTH` levels deep in the value. A cyclic value is too deep. */
export function isTooDeep(value: unknown, depth: number = MAX_DEPTH): boolean {
  return hasFlaw(value, depth, isNoFlaw)
}

/**
 * Whether JSON cannot hold the value: it is too deep, or it has a bigint, a function, a symbol or a number that is
 * not finite. `JSON.stringify` throws for a bigint, and loses the others.
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

/** A value with more objects and lists than that is searched with a map of the visited ones, because some may have many places. */
const MAX_UNMAPPED = 1_000

/** The objects and lists that a search may still visit without a map. */
interface Budget {
  left: number
}

function hasFlaw(value: unknown, depth: number, isFlaw: Leaf): boolean {
  const budget = { left: MAX_UNMAPPED }
  const isFlawed = hasFlawUnmapped(value, depth, isFlaw, budget)
  return budget.left < 0 ? hasFlawMapped(value, depth, isFlaw, new Map()) : isFlawed
}

/** Searches a value as a tree. The result counts only while the budget lasts. */
function hasFlawUnmapped(value: unknown, depth: number, isFlaw: Leaf, budget: Budget): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return isFlaw(value)
  budget.left -= 1
  if (depth === 0 || budget.left < 0) return true
  if (!isObject(value)) {
    for (const item of itemsOf(value)) if (hasFlawUnmapped(item, depth - 1, isFlaw, budget)) return true
    return false
  }
  // `Object.values` would make a list for each object.
  for (const key in value) {
    const item = value[key]
    // Most values are of these kinds, and need no call.
    if (typeof item === 'string' || item === null) continue
    if (hasFlawUnmapped(item, depth - 1, isFlaw, budget)) return true
  }
  return false
}

/** Searches a value whose objects may have many places. Each is visited at its deepest place. */
function hasFlawMapped(value: unknown, depth: number, isFlaw: Leaf, visited: Map<object, number>): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return isFlaw(value)
  if (depth === 0) return true
  if ((visited.get(value) ?? Number.POSITIVE_INFINITY) <= depth) return false
  const isWrong = (item: unknown) => hasFlawMapped(item, depth - 1, isFlaw, visited)
  if (isObject(value)) {
    for (const key in value) if (isWrong(value[key])) return true
  } else if (itemsOf(value).some(isWrong)) return true
  visited.set(value, depth)
  return false
}

function itemsOf(list: unknown): readonly unknown[] {
  if (!Array.isArray(list)) return []
  return list.length < MAX_DENSE_LENGTH ? list : Object.values(list)
}

/**
 * Returns a copy that JSON holds as it is: without undefined, with null for other values that JSON does not hold, and
 * with `0` for `-0`. An object that has many places is copied once. The value must not be nested too deep, see
 * `isTooDeep`.
 */
export function copyJson(value: unknown, known?: Map<object, JsonValue>): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (typeof value !== 'object' || value === null) return null
  const copies = known ?? new Map<object, JsonValue>()
  const copy = copies.get(value) ?? copyParts(value, copies)
  copies.set(value, copy)
  return copy
}

function copyParts(value: object, copies: Map<object, JsonValue>): JsonValue {
  if (isObject(value)) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    // `fromEntries`, not assignment, keeps `__proto__` an ordinary key.
    return Object.fromEntries(fields.map(([key, field]) => [key, copyJson(field, copies)]))
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  return items.length < MAX_DENSE_LENGTH
    ? Array.from(items, (item) => copyJson(item, copies))
    : Object.values(items).map((item) => copyJson(item, copies))
}

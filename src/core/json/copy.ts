import { isObject, type JsonValue } from './values.ts'

/** A longer list is copied without its holes: a list of a few bytes can have billions of them. */
const MAX_DENSE_LENGTH = 10_000

/**
 * Returns a copy that JSON holds as it is: without undefined, with null for other values that JSON does not hold, and with `0` for `-0`.
 * An object that has many places is copied once. The value must not be nested too deep, see `isTooDeep`.
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

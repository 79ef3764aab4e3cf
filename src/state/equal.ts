/** A comparison must not overflow the stack on foreign data. */
const MAX_DEPTH = 32

/** Whether two JSON values are equal, the order of keys aside. Nested deeper than `depth` they count as different. */
export function isEqual(left: unknown, right: unknown, depth: number = MAX_DEPTH): boolean {
  if (Object.is(left, right)) return true
  if (depth === 0 || typeof left !== 'object' || typeof right !== 'object') return false
  if (left === null || right === null || Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys)
    if (!Object.hasOwn(right, key) || !isEqual(Reflect.get(left, key), Reflect.get(right, key), depth - 1))
      return false
  return true
}

/** A comparison must not overflow the stack on foreign data. */
const MAX_DEPTH = 32

/** Whether two JSON values are equal, the order of keys aside. Nested deeper than `depth` they count as different. */
export function isEqual(left: unknown, right: unknown, depth: number = MAX_DEPTH): boolean {
  if (Object.is(left, right)) return true
  if (depth === 0 || typeof left !== 'object' || typeof right !== 'object') return false
  if (left === null || right === null || Array.isArray(left) !== Array.isArray(right)) return false
  const rightFields = new Map(Object.entries(right))
  const leftFields = Object.entries(left)
  if (leftFields.length !== rightFields.size) return false
  return leftFields.every(
    ([key, value]) => rightFields.has(key) && isEqual(value, rightFields.get(key), depth - 1),
  )
}

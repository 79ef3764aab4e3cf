/**
 * How deep a value may be nested that comes in. What is much deeper overflows the stack of whoever walks it, `JSON.stringify`
 * included.
 */
export const MAX_DEPTH = 256

/** Whether objects and lists are nested in the value more than `MAX_DEPTH` deep; one that contains itself is. */
export function isTooDeep(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return items.some((item) => isTooDeep(item, depth - 1))
}

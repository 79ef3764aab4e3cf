import { PersistentMap } from '../formats/translation/persistent-map.ts'

/**
 * Freezes a value to its depth, and returns it. What an object hides in private fields stays as it is; `seen` holds what is frozen
 * already.
 */
export function deepFreeze<Value>(value: Value, seen: WeakSet<object> = new WeakSet()): Value {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const part = waiting.pop()
    if (typeof part !== 'object' || part === null || seen.has(part)) continue
    // Bytes cannot be frozen.
    if (ArrayBuffer.isView(part)) continue
    seen.add(Object.freeze(part))
    for (const inner of partsOf(part)) waiting.push(inner)
  }
  return value
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value.keys(), ...value.values()]
  if (value instanceof Set || value instanceof PersistentMap) return value.values()
  return Object.values(value)
}

import { PersistentMap } from '../../reading/notes/persistent-map.ts'

/**
 * Freezes a value at any depth and returns it. It cannot freeze private fields. It skips objects in `frozen` and adds each object that
 * it freezes.
 */
export function deepFreeze<Value>(value: Value, frozen: WeakSet<object> = new WeakSet()): Value {
  const queue: unknown[] = [value]
  while (queue.length > 0) {
    const part = queue.pop()
    if (typeof part !== 'object' || part === null || frozen.has(part)) continue
    // `Object.freeze` throws for a typed array.
    if (ArrayBuffer.isView(part)) continue
    frozen.add(Object.freeze(part))
    for (const inner of partsOf(part)) queue.push(inner)
  }
  return value
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value.keys(), ...value.values()]
  if (value instanceof Set || value instanceof PersistentMap) return value.values()
  return Object.values(value)
}

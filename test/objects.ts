/** Freezes plain data at any depth, and returns it. */
export function deepFreeze<Value>(value: Value): Value {
  for (const part of objectsIn(value)) Object.freeze(part)
  return value
}

/** Returns every object and list in plain data, the value itself first. */
export function objectsIn(value: unknown): readonly object[] {
  return typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap((part) => objectsIn(part))]
    : []
}

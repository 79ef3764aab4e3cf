/** Freezes a value of plain data to its depth, and returns it. */
export function deepFreeze<Value>(value: Value): Value {
  for (const part of objectsIn(value)) Object.freeze(part)
  return value
}

/** Every object and list in a value of plain data, itself first. */
export function objectsIn(value: unknown): readonly object[] {
  return typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap((part) => objectsIn(part))]
    : []
}

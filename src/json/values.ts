/** Returns the value of a JSON text, or undefined, which no JSON is, if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An object of foreign JSON: nothing is known of its fields until somebody has looked. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether the value is an object and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is a string. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns the value if it is a finite number. */
export function asFiniteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns the value if it is an object, else an empty one: its fields are then unknown. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the value if it is a list, else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

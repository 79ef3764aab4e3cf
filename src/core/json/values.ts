/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Any value that JSON holds. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** An object of foreign JSON. The types of its fields are unknown until a guard has checked them. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether the value is an object, and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the value is a string. */
export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Returns the value if it is a string. */
export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns the value if it is a finite number. */
export function asFiniteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns the value if it is an object, else an empty object. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : NO_FIELDS
}

/** An object without fields. */
export const NO_FIELDS: JsonObject = /* @__PURE__ */ Object.freeze({})

/** Returns the value if it is a list, else an empty list. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS
}

const NO_ITEMS: readonly unknown[] = /* @__PURE__ */ Object.freeze([])

/** Returns how many enumerable fields an object has, inherited ones too. It makes no list, unlike `Object.keys`. */
export function fieldCount(value: object): number {
  let count = 0
  for (const _ in value) count += 1
  return count
}

/** Ends a switch over a closed union. A new member of the union does not compile until it has a case. */
export function assertNever(value: never): never {
  throw new TypeError(`no case for ${asString(asObject(value).type) ?? typeof value}`)
}

/** Accepts bytes of any realm: each frame of a page has its own `Uint8Array`, so `instanceof` is wrong here. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
}

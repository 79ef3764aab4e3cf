import { Allow, parse } from 'partial-json'

/** The kinds of values that may be incomplete. A number may not: `1` may become `12`. */
const INCOMPLETE = Allow.STR | Allow.OBJ | Allow.ARR

/**
 * Returns the value of a JSON text whose end is missing: its last text, list or object may be incomplete. Undefined if
 * no value has begun, or if the text is no JSON.
 */
export function parsePartialJson(text: string): unknown {
  try {
    return withPlainObjects(parse(text, INCOMPLETE))
  } catch {
    return undefined
  }
}

/** The parser takes a field `__proto__` for the prototype of the object. No prototype may come from a model, so the field is missing. */
function withPlainObjects(value: unknown): unknown {
  const parts = [value]
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue
    if (!Array.isArray(part)) Object.setPrototypeOf(part, Object.prototype)
    for (const inner of Object.values(part)) parts.push(inner)
  }
  return value
}

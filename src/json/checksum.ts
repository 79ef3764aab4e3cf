import type { JsonValue } from './values.ts'

/** The prime and the basis of the 32-bit FNV-1a hash (RFC 9923). */
const PRIME = 0x01000193
const BASIS = 0x811c9dc5

/**
 * Returns a checksum of JSON as 16 hex digits. The order of keys does not count, because a database may change it. The checksum finds damage, and
 * is no proof against intent. An object that has many places is read once.
 */
export function checksumOf(value: JsonValue): string {
  return digestOf([value], new Map())
}

/** Returns the text of a leaf. An object or a list has the hash of its text, in which its own objects and lists are hashes. */
function digestOf(value: JsonValue, known: Map<object, string>): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const digest = known.get(value) ?? hashOf(textOf(value, known))
  known.set(value, digest)
  return digest
}

function textOf(value: JsonValue & object, known: Map<object, string>): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => digestOf(item, known)).join()}]`
  const fields = Object.entries<JsonValue>(value).map(
    ([name, field]) => `${JSON.stringify(name)}:${digestOf(field, known)}`,
  )
  return `{${fields.sort().join()}}`
}

/** Returns FNV-1a over the text from its start and from its end. */
function hashOf(text: string): string {
  let forward = BASIS
  let backward = BASIS
  for (let at = 0; at < text.length; at += 1) {
    forward = Math.imul(forward ^ text.charCodeAt(at), PRIME)
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - at), PRIME)
  }
  return hex(forward) + hex(backward)
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0')
}

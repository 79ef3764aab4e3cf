import type { JsonValue } from './values.ts'

/**
 * Returns a checksum of JSON as 16 hex digits. The order of keys does not count, because a database may change it.
 * The checksum finds damage, and is no proof against intent. An object that has many places is read once.
 */
export function checksumOf(value: JsonValue): string {
  return digestOf(value, new Map())
    .map((half) => (half >>> 0).toString(16).padStart(8, '0'))
    .join('')
}

/** The factor of the second hash, which is odd. */
const OTHER_PRIME = 0x9e3779b1

/** Two hashes with 32 bits. */
type Digest = readonly [number, number]

/** The start of a list and of an object, which differ if they have no parts. */
const LIST: Digest = [1, 1]
const OBJECT: Digest = [2, 2]

function digestOf(value: JsonValue, known: Map<object, Digest>): Digest {
  // The quote keeps a number and its text apart.
  if (typeof value === 'string') return textDigest(`"${value}`)
  if (typeof value !== 'object' || value === null) return textDigest(`${value}`)
  const digest = known.get(value) ?? digestOfParts(value, known)
  known.set(value, digest)
  return digest
}

function digestOfParts(value: JsonValue & object, known: Map<object, Digest>): Digest {
  if (Array.isArray(value))
    return value.reduce<Digest>((list, item) => mixed(list, digestOf(item, known)), LIST)
  let [left, right] = [0, 0]
  // A sum does not depend on the order of the fields.
  for (const [name, field] of Object.entries<JsonValue>(value)) {
    const each = mixed(textDigest(name), digestOf(field, known))
    left = (left + each[0]) | 0
    right = (right + each[1]) | 0
  }
  return mixed(OBJECT, [left, right])
}

function textDigest(text: string): Digest {
  return [fnv1a(text), fnv1a(text, OTHER_PRIME)]
}

/** Returns the digest of a digest that follows another one. */
function mixed([left, right]: Digest, next: Digest): Digest {
  return [scrambled(left, next[0], next[1]), scrambled(right, next[1], next[0])]
}

/** Each bit of the parts changes many bits of the result, as in MurmurHash3. */
function scrambled(hash: number, own: number, other: number): number {
  let bits = Math.imul(hash ^ own, 0x85ebca6b)
  bits = Math.imul((bits ^ (bits >>> 13)) + other, 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}

const PRIME = 0x01000193

/** Returns the 32-bit FNV-1a hash (RFC 9923) over the UTF-16 units of a text. Another prime gives another hash. */
export function fnv1a(text: string, prime: number = PRIME): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash
}

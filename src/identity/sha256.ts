import { sha256Hex } from '../json/sha256.ts'

/** The hashes of RFC 00033 are the first 16 hex digits. */
const HASH_LENGTH = 16

/** Returns the first 16 hex digits of the SHA-256 of the joined texts (RFC 00033). Throws a `TypeError` if a value is not a string. */
export function shortSha256(...texts: readonly string[]): string {
  // `join` makes a text of any value, so `undefined` would have a hash too.
  if (texts.some((text) => typeof text !== 'string')) throw new TypeError('pass texts')
  return sha256Hex(texts.join('')).slice(0, HASH_LENGTH)
}

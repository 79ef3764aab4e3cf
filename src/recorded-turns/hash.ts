import { checkText } from '../core/identity/hashes.ts'
import { IdentityError } from '../core/identity/identity-error.ts'

/** The digits of a hash that `shortHash` shows by default. */
export const HASH_PREFIX_LENGTH = 8

const HASH = /^[0-9a-f]{64}$/

/** Whether the value is the hash of turns or of audio: 64 lowercase hex digits. */
export function isContentHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

/**
 * Returns the beginning of a hash for people to read, 8 digits by default. Throws an `IdentityError` if the hash is no
 * text, or the length no number.
 */
export function shortHash(hash: string, length: number = HASH_PREFIX_LENGTH): string {
  checkText(hash, ['hash'])
  if (typeof length !== 'number') throw new IdentityError('not-a-number', ['length'])
  return hash.slice(0, length)
}

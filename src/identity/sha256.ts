import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'

/** Returns the SHA-256 of a text's UTF-8 bytes, or of bytes, as 64 lowercase hex digits. A lone surrogate hashes like U+FFFD. */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(data))
}

/** The hashes of RFC 00033 are the first 16 hex digits. */
const HASH_LENGTH = 16

/** Returns the first 16 hex digits of a text's SHA-256 (RFC 00033). */
export function shortSha256(text: string): string {
  return sha256Hex(text).slice(0, HASH_LENGTH)
}

import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '@noble/hashes/utils'

/** Returns the SHA-256 of bytes, or of a text's UTF-8 bytes, as 64 lowercase hex digits. A lone surrogate hashes like U+FFFD. */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(data))
}

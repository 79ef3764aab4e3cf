import { createHash } from 'node:crypto'

/** Returns a checksum of keys in any order. */
export function keysSum(keys: readonly string[]): string {
  return createHash('sha1')
    .update([...keys].sort().join('\0'))
    .digest('base64url')
}

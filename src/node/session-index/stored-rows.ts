import { fnv1a } from '../../core/json/checksum.ts'
import { isObject } from '../../core/json/values.ts'
import type { EntryHead } from './entry.ts'

/** The database is not as it was written. It is thrown away then, and made anew. */
export class DamagedIndexError extends Error {}

/** Adds sums of 32 bits without a loss. */
export function addSum(total: number, sum: number): number {
  return (total + sum) % 2 ** 50
}

/** Returns the checksum of a row. */
export function rowSum(key: string, head: string, sums: string): number {
  return (fnv1a(head) ^ fnv1a(`${key}\n${sums}`)) >>> 0
}

/** Returns a text below its checksum. */
export function withSum(json: string): string {
  return `${fnv1a(json) >>> 0}\n${json}`
}

/** Returns the checksum of bytes. */
export function bytesSum(bytes: Uint8Array): number {
  let sum = bytes.length
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193)
  return sum >>> 0
}

/** Reads the head of a row whose checksum is right. */
export function parseHead(text: string): EntryHead {
  return parseJson(text) as unknown as EntryHead
}

/** The checksum proves that this library wrote the text. */
export function parseJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // It is no JSON.
  }
  throw new DamagedIndexError('a text that is no object')
}

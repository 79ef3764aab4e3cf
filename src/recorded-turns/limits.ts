/** The greatest size of a conversation, in bytes; the spec in UTF-8 bytes. */
export interface ConversationLimits {
  readonly specBytes: number
  /** The size of one recorded audio. */
  readonly audioBytes: number
  /** The size of all recorded audio together, without the spec. */
  readonly bodyBytes: number
}

/** 256 KB for the spec, 50 MB for each audio part, 512 MB for all ("content-hash conversations"). 1 KB is 1024 bytes. */
export const DEFAULT_LIMITS: ConversationLimits = Object.freeze({
  specBytes: 262_144,
  audioBytes: 52_428_800,
  bodyBytes: 536_870_912,
})

/** Returns a limit in bytes. Throws a `RangeError` if it is not a number, because no size is greater than NaN. */
export function limitOf(limits: Partial<ConversationLimits>, name: keyof ConversationLimits): number {
  const bytes = limits[name] ?? DEFAULT_LIMITS[name]
  if (typeof bytes === 'number' && bytes >= 0) return bytes
  throw new RangeError(`${name}: pass bytes, 0 or more`)
}

/** A conversation is larger than a limit. */
export class ConversationLimitError extends RangeError {
  readonly limit: keyof ConversationLimits
  /** In bytes. */
  readonly actual: number
  /** In bytes. */
  readonly allowed: number
  /** The upload key of the audio that is too large. */
  readonly uploadKey?: string

  constructor(
    limit: keyof ConversationLimits,
    size: { readonly actual: number; readonly allowed: number; readonly uploadKey?: string },
  ) {
    super(`${limit}: ${size.actual} bytes are more than the allowed ${size.allowed}`)
    this.name = 'ConversationLimitError'
    this.limit = limit
    this.actual = size.actual
    this.allowed = size.allowed
    if (size.uploadKey !== undefined) this.uploadKey = size.uploadKey
  }
}

/** The digits of a hash that `shortHash` shows by default. */
export const HASH_PREFIX_LENGTH = 8

const HASH = /^[0-9a-f]{64}$/

/** Whether the value is the hash of turns or of audio: 64 lowercase hex digits. */
export function isContentHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

/** Returns the beginning of a hash for people to read, 8 digits by default. */
export function shortHash(hash: string, length: number = HASH_PREFIX_LENGTH): string {
  return hash.slice(0, length)
}

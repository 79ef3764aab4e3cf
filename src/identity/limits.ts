/** How large a conversation may be, in bytes; a spec in UTF-8 bytes. Those that are left out are the default ones. */
export interface ConversationLimits {
  readonly specBytes: number
  /** One recorded audio. */
  readonly audioBytes: number
  /** All recorded audio together; the spec is measured by itself. */
  readonly bodyBytes: number
}

/** 256 KB of spec, 50 MB an audio part, 512 MB in all ("content-hash conversations"); 1 KB is 1024 bytes. */
export const DEFAULT_LIMITS: ConversationLimits = Object.freeze({
  specBytes: 262_144,
  audioBytes: 52_428_800,
  bodyBytes: 536_870_912,
})

/** Returns a limit in bytes. Throws a `RangeError` for one that is none: nothing is larger than what is no number. */
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
  /** The audio's upload key. */
  readonly uploadKey?: string

  constructor(
    limit: keyof ConversationLimits,
    size: { readonly actual: number; readonly allowed: number; readonly uploadKey?: string },
  ) {
    super(`${limit}: ${size.actual} bytes are more than the ${size.allowed} that are allowed`)
    this.name = 'ConversationLimitError'
    this.limit = limit
    this.actual = size.actual
    this.allowed = size.allowed
    if (size.uploadKey !== undefined) this.uploadKey = size.uploadKey
  }
}

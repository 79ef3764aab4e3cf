import { asObject } from '../core/json/values.ts'

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
  const bytes = asObject(limits)[name] ?? DEFAULT_LIMITS[name]
  if (typeof bytes === 'number' && bytes >= 0) return bytes
  throw new RangeError(`${name}: pass bytes, 0 or more`)
}

/** A conversation is larger than a limit. */
export class ConversationLimitError extends RangeError {
  readonly code = 'too-large'
  /** The part of the form that is too large; empty if it is the form itself. */
  readonly path: readonly string[]
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
    this.path = size.uploadKey === undefined ? [] : [size.uploadKey]
    this.limit = limit
    this.actual = size.actual
    this.allowed = size.allowed
    if (size.uploadKey !== undefined) this.uploadKey = size.uploadKey
  }
}

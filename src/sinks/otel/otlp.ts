import { timeInMs } from '../../core/json/lists.ts'
import type { ConversationBlock } from '../../core/state/block.ts'

/** A value of an attribute in OTLP's JSON. Integers are texts. */
export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

/** A fact about a span or about the program that made it. */
export interface OtlpAttribute {
  readonly key: string
  readonly value: OtlpValue
}

/** A span in OTLP's JSON. Ids are hexadecimal; times are nanoseconds since the epoch, as texts. */
export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1 is internal, 3 is a call of another service. */
  readonly kind: 1 | 3
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly OtlpAttribute[]
  /** The code is 0 if nothing is known, 1 for a success, 2 for an error. */
  readonly status: { readonly code: 0 | 1 | 2; readonly message?: string }
}

/** The body of a request to an OTLP endpoint (`/v1/traces`). */
export interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string }
      readonly spans: readonly OtlpSpan[]
    }[]
  }[]
}

/** Returns the attributes of the fields that have a value. A number that is no integer is a double. */
export function attributesOf(
  fields: Readonly<Record<string, string | number | boolean | undefined>>,
): readonly OtlpAttribute[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  )
}

function otlpValue(value: string | number | boolean): OtlpValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Returns milliseconds since the epoch as OTLP's nanoseconds; `0` is an unknown time. */
export function nanosOf(ms: number | undefined): string {
  return ms === undefined ? '0' : String(BigInt(Math.round(ms)) * 1_000_000n)
}

/** A span's start and end in ms since the epoch. */
export interface TimeSpan {
  readonly start: number | undefined
  readonly end: number | undefined
}

/** The last time that OTLP can hold, in ms since the epoch: its nanoseconds are an unsigned number of 64 bits. */
const MAX_TIME = 18_446_744_073_709

/** Returns an ISO 8601 time in ms since the epoch, and undefined for anything else or a time that OTLP cannot hold. */
export function msOf(timestamp: string | undefined): number | undefined {
  return inRange(timeInMs(timestamp))
}

// Collectors refuse the whole export if one time is out of range, such as the year 1 that some programs write for no
// time.
function inRange(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= MAX_TIME ? ms : undefined
}

/** Returns the first and the last time of the blocks. */
export function spanOf(blocks: readonly ConversationBlock[]): TimeSpan {
  let [start, end]: [number | undefined, number | undefined] = [undefined, undefined]
  for (const block of blocks) {
    const ms = msOf(block.timestamp)
    if (ms === undefined) continue
    start = Math.min(start ?? ms, ms)
    end = Math.max(end ?? ms, ms)
  }
  return { start, end }
}

/** Fills a missing end with the start and a missing start with the end. A span never ends before it starts. */
export function complete({ start, end }: TimeSpan): TimeSpan {
  const last = inRange(end)
  const from = inRange(start) ?? last
  return { start: from, end: from === undefined ? undefined : Math.max(last ?? from, from) }
}

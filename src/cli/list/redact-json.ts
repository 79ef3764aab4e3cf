import { isObject } from '../../core/json/values.ts'
import type { Redact } from '../../redaction/options.ts'
import { redactVisible } from '../../redaction/printable.ts'

/** The fields that name a thing, so that another command finds it. They hold no words. */
const NAMES: ReadonlySet<string> = new Set([
  'id',
  'session',
  'block',
  'conversationId',
  'format',
  'kind',
  'status',
])

/** Returns a JSON value with redacted texts. */
export function redactJson<Value>(value: Value, redact: Redact): Value {
  return redacted(value, redact) as Value
}

function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redactVisible(value, redact)
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, NAMES.has(key) ? field : redacted(field, redact)]),
  )
}

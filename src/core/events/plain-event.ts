import { fieldCount, isObject, type JsonObject } from '../json/values.ts'
import type { EventOf } from './event.ts'

// The full check accepts each of these events too, and takes ten times as long. Most events of a live stream are deltas, and most
// others are texts.

/** Whether the value is a delta without further fields. */
export function isPlainDelta(value: unknown): value is EventOf<'block:delta'> {
  try {
    return isObject(value) && value.type === 'block:delta' && hasDeltaFieldsOnly(value)
  } catch {
    return false
  }
}

/** Whether the value is the upsert of a text or of thinking without further fields. */
export function isPlainText(value: unknown): value is EventOf<'block:upsert'> {
  try {
    return isObject(value) && value.type === 'block:upsert' && hasTextOnly(value)
  } catch {
    return false
  }
}

function hasDeltaFieldsOnly(value: JsonObject): boolean {
  const { blockId, delta, conversationId, timestamp } = value
  const count = 3 + countOf(conversationId) + countOf(timestamp)
  return typeof blockId === 'string' && typeof delta === 'string' && isPlain(value, count)
}

function hasTextOnly(value: JsonObject): boolean {
  const { block, conversationId, timestamp } = value
  const count = 2 + countOf(conversationId) + countOf(timestamp)
  return isObject(block) && hasTextFieldsOnly(block) && isPlain(value, count)
}

function hasTextFieldsOnly(block: JsonObject): boolean {
  const { id, type, status, content, conversationId, messageId, timestamp, model } = block
  const isText = type === 'assistant_text' || type === 'thinking'
  const isStatus = status === 'pending' || status === 'complete' || status === 'error'
  const count = 4 + countOf(conversationId) + countOf(messageId) + countOf(timestamp) + countOf(model)
  return isText && isStatus && typeof id === 'string' && typeof content === 'string' && isPlain(block, count)
}

/** Returns the number of fields that an optional text takes. No object has as many fields as a value of another kind counts. */
function countOf(field: unknown): number {
  if (field === undefined) return 0
  return typeof field === 'string' ? 1 : Number.NaN
}

/** Whether the value has that many fields. The count of the fields of a class, or of inherited ones, says nothing. */
function isPlain(value: JsonObject, count: number): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && fieldCount(value) === count
}

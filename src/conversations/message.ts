import type { ValueIssue } from '../core/json/check-shape.ts'
import { isTooDeep } from '../core/json/depth.ts'
import { omitUndefined } from '../core/json/fields.ts'
import { isTime } from '../core/json/iso-time.ts'
import { isObject } from '../core/json/values.ts'
import type { ConversationMessage } from './conversation.ts'

/** A message, or the field that is wrong and the value that belongs there. */
type ReadMessage =
  | { readonly ok: true; readonly message: ConversationMessage }
  | {
      readonly ok: false
      readonly field: keyof ConversationMessage | undefined
      readonly expected: string
    }

/** A log with deeper values could not be written as JSON. */
export const DEPTH_LIMIT = 'at most 256 levels'

/** Returns a copy of the message with the host's own fields, or the first problem. */
export function readMessage(value: unknown): ReadMessage {
  if (!isObject(value)) return { ok: false, field: undefined, expected: 'an object' }
  const { id, timestamp, role, content, toolsUsed } = value
  if (typeof id !== 'string') return { ok: false, field: 'id', expected: 'a string' }
  if (!isTime(timestamp)) return { ok: false, field: 'timestamp', expected: 'an ISO 8601 time' }
  if (role !== 'user' && role !== 'assistant')
    return { ok: false, field: 'role', expected: 'user or assistant' }
  if (typeof content !== 'string') return { ok: false, field: 'content', expected: 'a string' }
  if (toolsUsed !== undefined && !isStringList(toolsUsed))
    return { ok: false, field: 'toolsUsed', expected: 'a list of strings' }
  if (isTooDeep(value)) return { ok: false, field: undefined, expected: DEPTH_LIMIT }
  const tools = toolsUsed === undefined ? undefined : [...toolsUsed]
  return { ok: true, message: omitUndefined({ ...value, id, timestamp, role, content, toolsUsed: tools }) }
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/**
 * - `not-a-log`: the value is not a log, so the result is an empty log
 * - `invalid-conversation`, `invalid-message`, `invalid-field`: the reader left this entry out
 * - `taken-id`: another conversation has the id, so this one got a new id
 * - `several-active`: only the last active conversation stays active; this one was ended with its last message
 * - `dropped-history`: the log has dropped conversations that are younger than this history
 */
type ConversationLogIssueCode =
  | 'not-a-log'
  | 'invalid-conversation'
  | 'invalid-message'
  | 'invalid-field'
  | 'taken-id'
  | 'several-active'
  | 'dropped-history'

/** A problem in a stored log or history. */
export interface ConversationLogIssue extends ValueIssue<ConversationLogIssueCode> {
  /** The entry, unchanged. */
  readonly value: unknown
}

const NOT_PLAIN: ReadMessage = { ok: false, field: undefined, expected: 'plain data' }

/** Returns the result of `read`, or `otherwise` if a getter or a proxy of the host throws. */
export function readSafely<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** Reads a list of messages. Each entry that is not a message is an issue. */
export function readMessages(
  values: readonly unknown[],
  path: ConversationLogIssue['path'],
): { readonly messages: readonly ConversationMessage[]; readonly issues: readonly ConversationLogIssue[] } {
  const messages: ConversationMessage[] = []
  const issues: ConversationLogIssue[] = []
  for (const [at, value] of values.entries()) {
    const read = readSafely(() => readMessage(value), NOT_PLAIN)
    if (read.ok) messages.push(read.message)
    else {
      const field = read.field === undefined ? [] : [read.field]
      issues.push({ code: 'invalid-message', path: [...path, at, ...field], expected: read.expected, value })
    }
  }
  return { messages, issues }
}

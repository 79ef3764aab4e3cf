import { isTooDeep } from '../json/depth.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { isObject } from '../json/values.ts'
import type { ConversationMessage } from './conversation.ts'
import { isTime } from './time.ts'

/** A message, or what it lacks. */
type ReadMessage =
  | { readonly ok: true; readonly message: ConversationMessage }
  | {
      readonly ok: false
      readonly field: keyof ConversationMessage | undefined
      /** What belongs there. */
      readonly expected: string
    }

/** Of what a host has put in: deeper, no log could be written as JSON. */
export const SHALLOW = 'at most 256 levels'

/** Returns a copy of the message, fields of the host's own too, or what is wrong with it. */
export function readMessage(value: unknown): ReadMessage {
  if (!isObject(value)) return { ok: false, field: undefined, expected: 'an object' }
  const { id, timestamp, role, content, toolsUsed } = value
  if (typeof id !== 'string') return { ok: false, field: 'id', expected: 'a string' }
  if (!isTime(timestamp)) return { ok: false, field: 'timestamp', expected: 'an ISO 8601 time' }
  if (role !== 'user' && role !== 'assistant')
    return { ok: false, field: 'role', expected: 'user or assistant' }
  if (typeof content !== 'string') return { ok: false, field: 'content', expected: 'a string' }
  if (toolsUsed !== undefined && !isTexts(toolsUsed))
    return { ok: false, field: 'toolsUsed', expected: 'a list of strings' }
  if (isTooDeep(value)) return { ok: false, field: undefined, expected: SHALLOW }
  const tools = toolsUsed === undefined ? undefined : [...toolsUsed]
  return { ok: true, message: omitUndefined({ ...value, id, timestamp, role, content, toolsUsed: tools }) }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** What is wrong with a log or a history that a host has kept, and what was set aside for it. */
export interface ConversationLogIssue {
  /**
   * - `not-a-log`: there is nothing that could be read; the log is empty
   * - `invalid-conversation`, `invalid-message`, `invalid-field`: it was set aside
   * - `taken-id`: another conversation has the id; this one was given a new one
   * - `several-active`: only the last one can be; this one was ended with its last message
   * - `dropped-history`: the log has dropped conversations that were younger than this history
   */
  readonly code:
    | 'not-a-log'
    | 'invalid-conversation'
    | 'invalid-message'
    | 'invalid-field'
    | 'taken-id'
    | 'several-active'
    | 'dropped-history'
  readonly path: readonly (string | number)[]
  /** What belongs there. */
  readonly expected: string
  /** The entry as it was. */
  readonly value: unknown
}

const NO_DATA: ReadMessage = { ok: false, field: undefined, expected: 'plain data' }

/** What is read, or something else where a getter or a proxy throws. */
export function readSafely<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** Reads a list of messages; those that are none are issues. */
export function readMessages(
  values: readonly unknown[],
  path: ConversationLogIssue['path'],
): { readonly messages: readonly ConversationMessage[]; readonly issues: readonly ConversationLogIssue[] } {
  const messages: ConversationMessage[] = []
  const issues: ConversationLogIssue[] = []
  for (const [at, value] of values.entries()) {
    const read = readSafely(() => readMessage(value), NO_DATA)
    if (read.ok) messages.push(read.message)
    else {
      const field = read.field === undefined ? [] : [read.field]
      issues.push({ code: 'invalid-message', path: [...path, at, ...field], expected: read.expected, value })
    }
  }
  return { messages, issues }
}

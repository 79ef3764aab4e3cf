import { isObject } from '../state/json.ts'
import { known } from '../state/known.ts'
import type { ConversationMessage } from './conversation.ts'
import { momentOf } from './time.ts'

/** What is wrong with a log or a history that a host has kept, and what was set aside for it. */
export interface ConversationLogIssue {
  /**
   * - `not-a-log`: there is nothing that could be read; the log is empty
   * - `invalid-conversation`, `invalid-message`: it was set aside
   * - `taken-id`: another conversation has the id; this one was given a new one
   * - `several-active`: only the last one can be; this one was ended with its last message
   */
  readonly code: 'not-a-log' | 'invalid-conversation' | 'invalid-message' | 'taken-id' | 'several-active'
  readonly path: readonly (string | number)[]
  /** What belongs there. */
  readonly expected: string
  /** The entry as it was. */
  readonly value: unknown
}

/** What a message lacks. */
export interface MessageFault {
  readonly field: keyof ConversationMessage | undefined
  /** What belongs there. */
  readonly expected: string
}

/** Returns a copy of the message, fields of the host's own too, or what is wrong with it. */
export function readMessage(value: unknown): ConversationMessage | MessageFault {
  if (!isObject(value)) return { field: undefined, expected: 'an object' }
  const { id, timestamp, role, content, toolsUsed } = value
  if (typeof id !== 'string') return { field: 'id', expected: 'a string' }
  if (typeof timestamp !== 'string' || momentOf(timestamp) === undefined)
    return { field: 'timestamp', expected: 'an ISO 8601 time' }
  if (role !== 'user' && role !== 'assistant') return { field: 'role', expected: 'user or assistant' }
  if (typeof content !== 'string') return { field: 'content', expected: 'a string' }
  if (toolsUsed !== undefined && !isTexts(toolsUsed))
    return { field: 'toolsUsed', expected: 'a list of strings' }
  const tools = toolsUsed === undefined ? undefined : [...toolsUsed]
  return known({
    ...value,
    id,
    timestamp,
    role: role as ConversationMessage['role'],
    content,
    toolsUsed: tools,
  })
}

export function isFault(read: ConversationMessage | MessageFault): read is MessageFault {
  return 'expected' in read
}

/** Reads a list of messages; those that are none are issues. */
export function readMessages(
  values: readonly unknown[],
  path: ConversationLogIssue['path'],
): { readonly messages: readonly ConversationMessage[]; readonly issues: readonly ConversationLogIssue[] } {
  const messages: ConversationMessage[] = []
  const issues: ConversationLogIssue[] = []
  for (const [at, value] of values.entries()) {
    const read = readMessage(value)
    if (!isFault(read)) messages.push(read)
    else {
      const field = read.field === undefined ? [] : [read.field]
      issues.push({ code: 'invalid-message', path: [...path, at, ...field], expected: read.expected, value })
    }
  }
  return { messages, issues }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

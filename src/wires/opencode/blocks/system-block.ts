import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { readTodos } from '../../kit/lines.ts'
import type { EventPlace, MessageRef } from '../place.ts'

interface SystemBlockFields {
  readonly id: string
  readonly subtype: string
  readonly message: string
  readonly data?: unknown
  readonly timestamp?: string | undefined
}

/** Shows an action of the program as a complete system block. */
export function upsertSystemBlock(
  conversationId: string,
  { id, ...fields }: SystemBlockFields,
  output: SessionOutput,
): void {
  output.upsert(conversationId, { type: 'system', id, status: 'complete', ...fields })
}

interface Retry {
  readonly id: string
  /** The reason for the retry, which OpenCode may omit. */
  readonly message: unknown
  readonly data: unknown
  readonly timestamp?: string | undefined
}

/** Shows that OpenCode repeats a failed request. */
export function upsertRetry(
  conversationId: string,
  { id, message: reason, data, timestamp }: Retry,
  output: SessionOutput,
): void {
  const message = asString(reason) ?? 'the request is made again'
  upsertSystemBlock(conversationId, { id, data, timestamp, subtype: 'retry', message }, output)
}

type Conversation = Pick<EventPlace | MessageRef, 'conversationId'>

/** Reports the plan of a conversation. Anything but a list changes nothing. */
export function reportTodos({ conversationId }: Conversation, todos: unknown, output: SessionOutput): void {
  if (!Array.isArray(todos)) return
  output.emit({ type: 'todos:updated', conversationId, todos: readTodos(todos) })
}

/** Reports the plan that a call of `todowrite` has written. A call that failed has written none. */
export function reportWrittenTodos(
  conversation: Conversation,
  { tool, state }: JsonObject,
  output: SessionOutput,
): void {
  const { status, input, metadata } = asObject(state)
  if (tool !== 'todowrite' || status !== 'completed') return
  reportTodos(conversation, asObject(metadata).todos ?? asObject(input).todos, output)
}

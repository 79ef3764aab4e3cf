import { asObject, type JsonObject } from '../../../core/json/values.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { readTodos } from '../../kit/todos.ts'
import type { EventPlace, MessageRef } from '../place.ts'

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

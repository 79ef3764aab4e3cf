import type { EventOf } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { shallowCopy } from '../json/fields.ts'
import { MAIN } from '../state/session.ts'
import type { Batch } from './batch.ts'

/** Replaces the plan of a conversation. */
export function updateTodos(
  batch: Batch,
  { conversationId = MAIN, todos }: EventOf<'todos:updated'>,
): undefined {
  const thread = batch.getOrCreateThread(conversationId)
  if (!isEqual(thread.todos, todos)) thread.todos = todos.map((todo) => Object.freeze(shallowCopy(todo)))
}

import { asArray, asString, isObject } from '../json/values.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { isTodoStatus, type Todo } from '../state/todo.ts'
import { findConversation } from './find.ts'

/**
 * Returns an agent's plan: main's, or that of the conversation with the id. It is empty if the agent made none. The id
 * is `'main'` (the default), or either id of a subagent.
 */
export function todos(state: SessionConversationState, conversationId: string = MAIN): readonly Todo[] {
  return findConversation(state, conversationId)?.todos ?? NONE
}

/** Always the same list, so that a component that shows it need not render again. */
const NONE: readonly Todo[] = []

/** Returns the entries of the plan that a call's input holds: `todos` or `plan`. Undefined if an entry is malformed or none exists. */
export function planInInput(input: unknown): readonly Todo[] | undefined {
  const list = isObject(input) ? asArray(input.todos ?? input.plan) : []
  const entries = list.flatMap((entry) => entryOf(entry) ?? [])
  return entries.length > 0 && entries.length === list.length ? entries : undefined
}

function entryOf(entry: unknown): Todo | undefined {
  if (!isObject(entry)) return undefined
  const { content, step, status } = entry
  const text = asString(content) ?? asString(step)
  return text !== undefined && isTodoStatus(status) ? { text, status } : undefined
}

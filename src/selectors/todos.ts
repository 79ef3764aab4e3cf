import { MAIN, type SessionConversationState } from '../state/session.ts'
import type { Todo } from '../state/todo.ts'
import { findConversation } from './find.ts'

/** Returns an agent's plan: main's, or that of the conversation with the id. It is empty if the agent made none. */
export function todos(state: SessionConversationState, conversationId: string = MAIN): readonly Todo[] {
  return findConversation(state, conversationId)?.todos ?? NONE
}

/** Always the same list, so that a component that shows it need not render again. */
const NONE: readonly Todo[] = []

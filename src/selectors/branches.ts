import type { Branch, SessionConversationState } from '../state/session.ts'

/** Returns the branches that the person abandoned, in the order of the rewinds. The conversation itself is the active branch. */
export function branches(state: SessionConversationState): readonly Branch[] {
  return state.branches ?? NONE
}

const NONE: readonly Branch[] = []

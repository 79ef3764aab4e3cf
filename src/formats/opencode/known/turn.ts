import { MAIN } from '../../../state/session.ts'
import type { OpencodeContext } from '../context.ts'
import type { Turn } from '../memory.ts'

/** Sets the turn's state, if the conversation is the main one. Subagents have no turn. */
export function setTurn(
  { conversationId }: { readonly conversationId: string },
  turn: Turn,
  context: OpencodeContext,
): void {
  if (conversationId === MAIN) context.remember({ turn })
}

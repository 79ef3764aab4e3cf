import { MAIN } from '../../../state/session.ts'
import type { OpencodeContext } from '../context.ts'
import type { Turn } from '../memory.ts'
import type { EventPlace } from '../routing/event-place.ts'
import { knownSession, rememberSession } from './session.ts'

/** Sets the state of the session's turn. */
export function setTurn(
  { sessionId, conversationId }: Pick<EventPlace, 'sessionId' | 'conversationId'>,
  turn: Turn,
  context: OpencodeContext,
): void {
  if (conversationId === MAIN) return context.remember({ turn })
  rememberSession({ ...knownSession(sessionId, context), turn }, context)
}

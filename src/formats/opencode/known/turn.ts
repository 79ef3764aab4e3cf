import { MAIN } from '../../../state/session.ts'
import { compareStrings } from '../../translation/order.ts'
import type { OpencodeContext } from '../context.ts'
import type { Turn } from '../memory.ts'
import type { EventPlace, MessageRef } from '../routing/event-place.ts'
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

/** Sets the state that a message of the model leads to. A message older than the newest one belongs to an earlier turn. */
export function setTurnOfMessage(ref: MessageRef, turn: Turn, context: OpencodeContext): void {
  const { newestMessageId } = knownSession(ref.sessionId, context)
  if (!isOlderId(ref.messageId, newestMessageId)) setTurn(ref, turn, context)
}

const PREFIX = 'msg_'

/** Whether OpenCode made the message id before the other one. Its ids ascend. A client may send other ids, which prove nothing. */
export function isOlderId(id: string, other: string | undefined): boolean {
  return other?.startsWith(PREFIX) === true && id.startsWith(PREFIX) && compareStrings(id, other) < 0
}

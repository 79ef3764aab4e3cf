import type { Mutable } from '../../../json/mutable.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownSession } from '../memory.ts'

/** Returns the known facts of a session. A new session has none. */
export function knownSession(id: string, { memory }: OpencodeContext): KnownSession {
  return memory.sessions.get(id) ?? newSession(id)
}

/** A session that the current batch may change in place. */
export type OwnSession = Mutable<KnownSession>

/** Returns a session without known facts. All sessions have the same fields in the same order, because V8 reads such objects fastest. */
export function newSession(id: string): OwnSession {
  return {
    id,
    parentId: undefined,
    isOriginKnown: false,
    turn: 'idle',
    isCompleted: false,
    hasMessages: false,
    reportsCost: false,
    nanoDollars: 0,
    updatedAt: undefined,
    resumedCost: undefined,
    openMessageId: undefined,
    currentMessageId: undefined,
    answeredMessageId: undefined,
    newestMessageId: undefined,
    resumedModel: undefined,
    errors: [],
    unassignedError: undefined,
    worktree: undefined,
    unplacedMessageIds: undefined,
    revertMessageId: undefined,
  }
}

/** Remembers that the session has messages, so there is something to show, and the message of the last event. */
export function rememberCurrentMessage(
  sessionId: string,
  currentMessageId: string | undefined,
  context: OpencodeContext,
): void {
  const session = knownSession(sessionId, context)
  if (session.hasMessages && session.currentMessageId === currentMessageId) return
  const own = context.ownSession(sessionId)
  own.hasMessages = true
  own.currentMessageId = currentMessageId
}

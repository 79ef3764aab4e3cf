import { withChanges } from '../../../json/with-changes.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownSession } from '../memory.ts'

/** Returns the known facts of a session. A new session has none. */
export function knownSession(id: string, { memory }: OpencodeContext): KnownSession {
  return memory.sessions.get(id) ?? newSession(id)
}

function newSession(id: string): KnownSession {
  return {
    id,
    isOriginKnown: false,
    hasMessages: false,
    turn: 'idle',
    isCompleted: false,
    errors: [],
    reportsCost: false,
    nanoDollars: 0,
  }
}

export function rememberSession(session: KnownSession, context: OpencodeContext): void {
  context.remember({ sessions: context.memory.sessions.with(session.id, session) })
}

/** Remembers that the session has messages, so there is something to show, and the message of the last event. */
export function rememberCurrentMessage(
  sessionId: string,
  currentMessageId: string | undefined,
  context: OpencodeContext,
): void {
  const session = knownSession(sessionId, context)
  if (session.hasMessages && session.currentMessageId === currentMessageId) return
  rememberSession(withChanges(session, { hasMessages: true, currentMessageId }), context)
}

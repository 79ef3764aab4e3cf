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
    turn: 'none',
    isCompleted: false,
    reportsCost: false,
    nanoDollars: 0,
  }
}

export function rememberSession(session: KnownSession, context: OpencodeContext): void {
  context.remember({ sessions: context.memory.sessions.with(session.id, session) })
}

/** Remembers that the session has messages, so there is something to show. */
export function markHasMessages(sessionId: string, context: OpencodeContext): void {
  const session = knownSession(sessionId, context)
  if (!session.hasMessages) rememberSession({ ...session, hasMessages: true }, context)
}

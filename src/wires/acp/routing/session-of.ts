import { omitUndefined } from '../../../json/omit-undefined.ts'
import { MAIN, type SessionFacts } from '../../../state/session.ts'
import type { AcpContext } from '../context.ts'
import type { KnownSession } from '../memory.ts'

/** Returns the conversation of a session, or undefined if the session is another one of the same connection. */
export function conversationOf(sessionId: string, context: AcpContext): string | undefined {
  const { rootId, sessions } = context.memory
  if (rootId === undefined) becomeRoot(sessionId, context)
  if (sessionId === context.memory.rootId) return MAIN
  return sessions.get(sessionId)?.role === 'child'
    ? (context.agentOfSession(sessionId)?.id ?? sessionId)
    : undefined
}

/** Makes a session main. The first one that the client prompts, loads or hears of is main. */
export function becomeRoot(sessionId: string, context: AcpContext): void {
  const { sessions } = context.memory
  const known = sessions.get(sessionId)
  const session: KnownSession = { ...known, id: sessionId, role: 'root' }
  context.remember({ rootId: sessionId, sessions: sessions.with(sessionId, session) })
  const { cwd, model } = session
  context.addMissingFacts(omitUndefined({ id: sessionId, cwd, model }))
}

/** Remembers a session that the client has begun, and its facts. */
export function readSession(
  sessionId: string,
  facts: Pick<SessionFacts, 'cwd' | 'model'>,
  context: AcpContext,
): void {
  const { sessions, rootId } = context.memory
  const known = sessions.get(sessionId)
  const session: KnownSession = { role: 'new', ...known, id: sessionId, ...facts }
  context.setEntry('sessions', sessionId, session)
  if (rootId === sessionId) context.updateFacts(facts)
}

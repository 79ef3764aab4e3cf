import { withChanges } from '../../../core/json/fields.ts'
import { MAIN, type SessionFacts } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { findCallAnywhere } from '../calls/call.ts'
import { showCall } from '../calls/translate-call.ts'
import type { AcpContext } from '../context.ts'

/** Returns the conversation of a session, or undefined if the session is another one of the same connection. */
export function conversationOf(sessionId: string, context: AcpContext): string | undefined {
  if (context.state.facts.id === undefined) becomeRoot(sessionId, context)
  return sessionId === context.state.facts.id ? MAIN : context.agentOfSession(sessionId)?.toolUseId
}

/** Makes a session main. The first one that the client prompts, loads or hears of is main. */
export function becomeRoot(sessionId: string, context: AcpContext): void {
  const { cwd, model } = context.notes.values.sessions.get(sessionId) ?? {}
  for (const [id] of context.notes.values.sessions.entries()) context.notes.removeEntry('sessions', id)
  context.addMissingFacts({ id: sessionId, cwd, model })
}

/** Remembers the facts of a session that the client has begun. */
export function readSession(
  sessionId: string,
  facts: Pick<SessionFacts, 'cwd' | 'model'>,
  context: AcpContext,
): void {
  const { id } = context.state.facts
  if (id === sessionId) context.updateFacts(facts)
  else if (id === undefined)
    context.notes.setEntry(
      'sessions',
      sessionId,
      withChanges(context.notes.values.sessions.get(sessionId) ?? {}, facts),
    )
}

/** Returns the conversation of an update. An agent's program may name the call that started the agent of the update. */
export function agentConversation(
  conversationId: string,
  parentId: string | undefined,
  context: AcpContext,
): string {
  // In a child session, the session itself is the agent's.
  if (parentId === undefined || conversationId !== MAIN) return conversationId
  const call = findCallAnywhere(parentId, context)
  // The call was shown as a tool's, and its updates name it as their agent's.
  if (call?.role === 'tool') showCall({ ...call, role: 'agent' }, call, context)
  if (!context.hasStarted(parentId)) startAgent(parentId, call?.conversationId, context)
  return parentId
}

/** The agent works, so it has started. */
function startAgent(toolUseId: string, conversationId: string | undefined, output: SessionOutput): void {
  output.emit({
    type: 'subagent:spawned',
    ...(conversationId !== undefined && { conversationId }),
    toolUseId,
    prompt: '',
  })
}

import { MAIN } from '../../../state/session.ts'
import { becomeAgentCall } from '../calls/translate-call.ts'
import type { AcpContext } from '../context.ts'

/** Returns the conversation of an update. An agent's program may name the call that started the agent of the update. */
export function agentConversation(
  conversationId: string,
  parentId: string | undefined,
  context: AcpContext,
): string {
  // In a child session, the session itself is the agent's.
  if (parentId === undefined || conversationId !== MAIN) return conversationId
  const call = context.call(parentId)
  if (call?.role === 'tool') becomeAgentCall(call, context)
  const known = context.agent(parentId)
  if (!known || known.run === 'announced') startAgent(parentId, call?.conversationId, context)
  return parentId
}

/** The agent works, so it has started. */
function startAgent(toolUseId: string, conversationId: string | undefined, context: AcpContext): void {
  context.updateAgent(toolUseId, { run: 'running' })
  context.emit({
    type: 'subagent:spawned',
    ...(conversationId !== undefined && { conversationId }),
    toolUseId,
    prompt: '',
  })
}

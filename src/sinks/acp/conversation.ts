import { withChanges } from '../../json/with-changes.ts'
import type { BlockOf } from '../../state/block.ts'
import type { AgentFacts } from './agents/agent-facts.ts'
import type { ChildSessionUpdate, SessionNotification, SessionUpdate } from './messages.ts'

/** Any update of a replay. */
export type AnyUpdate = SessionUpdate | ChildSessionUpdate

/** Any notification of a replay. */
export type AnyNotification = SessionNotification<AnyUpdate>

/** A conversation on the way through a state. */
export interface Conversation {
  /** The session that gets its updates. */
  readonly sessionId: string
  /** The calls that the session's client knows, by their ids. The call of an agent has no block of its own. */
  readonly calls: Map<string, BlockOf<'tool_use'> | undefined>
}

/** The conversation of an agent. */
export interface AgentConversation extends Conversation {
  readonly agent: AgentFacts
  readonly parent: Conversation
}

/** Whether the conversation is an agent's. */
export function isAgentConversation(conversation: Conversation): conversation is AgentConversation {
  return 'agent' in conversation
}

/** Returns the update as a notification. Those of an agent name the call that started it, as in Claude's agent. */
export function notificationOf(conversation: Conversation, update: SessionUpdate): AnyNotification {
  const { sessionId } = conversation
  if (!isAgentConversation(conversation)) return { sessionId, update }
  const { toolUseId } = conversation.agent
  const claudeCode = withChanges(update._meta?.claudeCode ?? {}, { parentToolUseId: toolUseId })
  return { sessionId, update: withChanges(update, { _meta: { claudeCode } }) }
}

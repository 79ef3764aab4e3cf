import type { PlainBlock } from '../../../selectors/walk.ts'
import type { ConversationThread } from '../../../state/session.ts'
import type { AgentConversation, AnyNotification, Conversation } from '../conversation.ts'
import type { AgentFacts } from './agent-facts.ts'

/** How a replay shows agents. */
export interface AgentForm {
  /** Returns the conversation of an agent below that of its parent. */
  open(agent: AgentFacts, parent: Conversation): AgentConversation
  /** Returns the notifications that come before those of the agent's conversation. */
  start(conversation: AgentConversation): readonly AnyNotification[]
  /** Returns the notifications of a block that is neither a call nor a result. */
  block(conversation: AgentConversation, block: PlainBlock): readonly AnyNotification[]
  /** Returns the notifications of the agent's plan. */
  plan(conversation: AgentConversation, thread: ConversationThread): readonly AnyNotification[]
  /** Returns the notifications that come after those of the agent's conversation. */
  end(conversation: AgentConversation): readonly AnyNotification[]
}

import { omitUndefined } from '../../core/json/fields.ts'
import type { AgentFacts, PlainBlock } from '../../core/selectors/walk.ts'
import { type BlockOf, isPrompt } from '../../core/state/block.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { blockChunks, textContent, userContent } from './content.ts'
import {
  type AgentConversation,
  type AgentForm,
  type AnyNotification,
  notificationOf,
  planOf,
} from './conversation.ts'
import type { ChildState, SessionMessage, SubagentUpdate } from './messages.ts'

/** Returns the form for clients that know child sessions: each agent is a session of its own. */
export function childSessions(mainSessionId: string): AgentForm {
  const sessionIds = new Set([mainSessionId])
  return {
    open(agent, parent) {
      const sessionId = childSessionId(agent, { mainSessionId, isTaken: (id) => sessionIds.has(id) })
      sessionIds.add(sessionId)
      return { sessionId, calls: new Map(), agent, parent }
    },
    start: (conversation) => [announcement(conversation), ...prompt(conversation)],
    block: blockNotifications,
    plan: (conversation, thread) => planOf(thread).map((update) => notificationOf(conversation, update)),
    end: (conversation) => (isFinal(conversation.agent.status) ? endOf(conversation) : []),
  }
}

/** Returns the program's own id of the agent. An agent without one gets an id as in Codex's agent. */
function childSessionId(
  { agentId, toolUseId }: AgentFacts,
  { mainSessionId, isTaken }: { readonly mainSessionId: string; readonly isTaken: (id: string) => boolean },
): string {
  return agentId && !isTaken(agentId) ? agentId : `${mainSessionId}:subagent:${toolUseId}`
}

function announcement({ sessionId, parent, agent }: AgentConversation): AnyNotification {
  const { toolUseId, description, name, status } = agent
  const update: SubagentUpdate = omitUndefined({
    sessionUpdate: 'subagent_update',
    sessionId,
    title: description || undefined,
    description: name || undefined,
    state: status === 'pending' ? undefined : ({ state: 'running' } as const),
    _meta: { agentfold: { toolCallId: toolUseId } },
  })
  return { sessionId: parent.sessionId, update }
}

/** The prompt is a message in the sessions of both. */
function prompt({ sessionId, parent, agent }: AgentConversation): readonly AnyNotification[] {
  if (!agent.prompt) return []
  const message: SessionMessage = {
    sessionUpdate: 'session_message',
    messageId: agent.toolUseId,
    senderSessionId: parent.sessionId,
    recipientSessionId: sessionId,
    content: [textContent(agent.prompt)],
  }
  return [
    { sessionId: parent.sessionId, update: { ...message, recipientMessageId: agent.toolUseId } },
    { sessionId, update: { ...message, senderMessageId: agent.toolUseId } },
  ]
}

function blockNotifications(conversation: AgentConversation, block: PlainBlock): readonly AnyNotification[] {
  if (isPrompt(block)) return messageNotifications(conversation, block)
  return blockChunks(block).map((chunk) => notificationOf(conversation, chunk))
}

/** A message to an agent comes from its parent. The client knows the prompt already. */
function messageNotifications(
  { sessionId, parent, agent }: AgentConversation,
  { id, content }: BlockOf<'user_message'>,
): readonly AnyNotification[] {
  const parts = userContent(content)
  if (id === agent.promptBlockId || parts.length === 0) return []
  const update: SessionMessage = {
    sessionUpdate: 'session_message',
    messageId: id,
    senderSessionId: parent.sessionId,
    recipientSessionId: sessionId,
    content: parts,
  }
  return [{ sessionId, update }]
}

/** The agent's report is a message to its parent. The end follows it. */
function endOf({ sessionId, parent, agent }: AgentConversation): readonly AnyNotification[] {
  const end: SubagentUpdate = { sessionUpdate: 'subagent_update', sessionId, state: endState(agent) }
  const report: SessionMessage = {
    sessionUpdate: 'session_message',
    messageId: `${agent.toolUseId}:reply`,
    senderSessionId: sessionId,
    recipientSessionId: parent.sessionId,
    content: [textContent(agent.output ?? '')],
  }
  return (agent.output ? [report, end] : [end]).map((update) => ({ sessionId: parent.sessionId, update }))
}

/** The code that JSON-RPC reserves for an internal error. */
const INTERNAL_ERROR = -32603

function endState({ status, output }: AgentFacts): ChildState {
  if (status === 'success') return { state: 'idle', stopReason: 'end_turn' }
  if (!output) return { state: 'idle', stopReason: 'error' }
  return { state: 'idle', stopReason: 'error', error: { code: INTERNAL_ERROR, message: output } }
}

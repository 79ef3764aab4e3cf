import { omitUndefined } from '../../core/json/fields.ts'
import { type PendingRequest, pendingRequests } from '../../core/selectors/requests.ts'
import type { RequestOption, RequestQuestion } from '../../core/state/request.ts'
import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'
import type { SubagentStatus } from '../../core/state/subagent.ts'
import type { Todo } from '../../core/state/todo.ts'

/** A request that waits for the person's answer. */
export interface AgUiRequest {
  readonly id: string
  /** `main`, or the `toolUseId` of the agent that waits. */
  readonly conversationId: string
  readonly kind: 'permission' | 'question'
  readonly title: string
  readonly toolUseId?: string
  readonly options?: readonly RequestOption[]
  readonly questions?: readonly RequestQuestion[]
}

/** The facts of an agent. */
export interface AgUiAgent {
  /** The agent's `toolUseId`. It is the `subagentRunId` of its events. */
  readonly id: string
  readonly status: SubagentStatus
  readonly parentId?: string
  readonly agentId?: string
  readonly name?: string
  readonly description?: string
  readonly todos?: readonly Todo[]
}

/** The shared state of an AG-UI thread: main's plan, the open requests, and the agents of all depths. */
export interface AgUiSharedState {
  readonly todos: readonly Todo[]
  readonly requests: readonly AgUiRequest[]
  readonly agents: readonly AgUiAgent[]
}

/** Returns the shared state of a session. */
export function toAgUiState(state: SessionConversationState): AgUiSharedState {
  return {
    todos: state.todos ?? [],
    requests: pendingRequests(state).map(requestOf),
    agents: state.subagents.map(agentOf),
  }
}

/** Returns a request as the shared state has it. */
export function requestOf({ conversationId, block }: PendingRequest): AgUiRequest {
  const { id, kind, title, toolUseId, options, questions } = block
  return omitUndefined({ id, conversationId, kind, title, toolUseId, options, questions })
}

/** Returns an agent as the shared state has it. */
export function agentOf(agent: SubagentState): AgUiAgent {
  const { toolUseId: id, status, parentConversationId: parentId, agentId, name, description, todos } = agent
  return omitUndefined({ id, status, parentId, agentId, name, description, todos })
}

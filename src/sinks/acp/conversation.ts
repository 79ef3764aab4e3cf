import { omitUndefined, withChanges } from '../../core/json/fields.ts'
import { contextTokens } from '../../core/selectors/cost.ts'
import {
  type AgentFacts,
  factsOfAgent,
  type PlainBlock,
  type WalkedAgent,
} from '../../core/selectors/walk.ts'
import { type BlockOf, isPrompt } from '../../core/state/block.ts'
import type { ConversationThread, SessionConversationState } from '../../core/state/session.ts'
import type { TodoStatus } from '../../core/state/todo.ts'
import type {
  ChildSessionUpdate,
  PlanEntry,
  PlanUpdate,
  SessionInfoUpdate,
  SessionNotification,
  SessionUpdate,
  UsageUpdate,
} from './messages.ts'

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
  readonly agent: ReplayedAgent
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

/** The facts of an agent, and the block of its conversation that holds the prompt. */
type ReplayedAgent = AgentFacts & { readonly promptBlockId?: string }

/** Returns the facts of an agent at its place in a session. */
export function replayedAgent(walked: WalkedAgent): ReplayedAgent {
  const facts = factsOfAgent(walked)
  const { prompt } = facts
  const promptBlock = walked.agent.blocks.find((each) => isPrompt(each) && each.content === prompt)
  return promptBlock ? { ...facts, promptBlockId: promptBlock.id } : facts
}

/** How a replay shows agents. */
export interface AgentForm {
  /** Returns the conversation of an agent below that of its parent. */
  open(agent: ReplayedAgent, parent: Conversation): AgentConversation
  /** Returns the notifications that come before those of the agent's conversation. */
  start(conversation: AgentConversation): readonly AnyNotification[]
  /** Returns the notifications of a block that is neither a call nor a result. */
  block(conversation: AgentConversation, block: PlainBlock): readonly AnyNotification[]
  /** Returns the notifications of the agent's plan. */
  plan(conversation: AgentConversation, thread: ConversationThread): readonly AnyNotification[]
  /** Returns the notifications that come after those of the agent's conversation. */
  end(conversation: AgentConversation): readonly AnyNotification[]
}

/** The client's capabilities that decide what a replay holds. */
export interface ReplayCapabilities {
  /** An object, even an empty one, means that the client knows child sessions. This part of ACP is unstable. */
  readonly subagents?: object | null | undefined
  /** The other capabilities of the client, so that its whole list can be passed. */
  readonly [name: string]: unknown
}

/** Facts for a replay that the state does not have. */
export interface SessionUpdatesOptions<Capabilities = ReplayCapabilities> {
  /** The id of the session that the client loads. The default is the program's own id, `state.session.id`. */
  readonly sessionId?: string
  /** The `clientCapabilities` of the client's `initialize` request. Without them, no child sessions are sent. */
  readonly clientCapabilities?: Capabilities
  /** The title of the session. Without it, the client keeps the title that it has. */
  readonly title?: string
  /**
   * The number of tokens that the model's context can hold. The default is `state.session.contextWindow`. Without
   * either, no usage is sent, because ACP requires this number.
   */
  readonly contextWindow?: number
}

/** Returns the id of the session. Throws a `TypeError` if neither the options nor the state have one. */
export function sessionIdOf({ session }: SessionConversationState, options: SessionUpdatesOptions): string {
  const sessionId = options.sessionId ?? session.id
  if (sessionId === undefined) throw new TypeError('the state has no session id: pass it as sessionId')
  return sessionId
}

/** Whether the client knows child sessions. */
export function knowsChildSessions({ clientCapabilities }: SessionUpdatesOptions): boolean {
  return typeof clientCapabilities?.subagents === 'object' && clientCapabilities.subagents !== null
}

/** ACP has no status for a cancelled entry. OpenCode's own agent sends it as completed too. */
const PLAN_STATUS: Readonly<Record<TodoStatus, PlanEntry['status']>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  cancelled: 'completed',
}

/** Returns the plan of a conversation, if it has one. */
export function planOf({ todos }: ConversationThread): readonly PlanUpdate[] {
  if (todos === undefined) return []
  const entries = todos.map(({ text, status }) => ({
    content: text,
    status: PLAN_STATUS[status],
    priority: 'medium' as const,
  }))
  return [{ sessionUpdate: 'plan', entries }]
}

/** Returns the title and the time of the last end, if either is known. */
export function infoOf(
  { turn }: SessionConversationState,
  { title }: SessionUpdatesOptions,
): readonly SessionInfoUpdate[] {
  if (title === undefined && turn.endedAt === undefined) return []
  return [omitUndefined({ sessionUpdate: 'session_info_update', title, updatedAt: turn.endedAt } as const)]
}

/**
 * Returns how full the context is and the cost, if the options or the program name the size of the context. Throws a
 * `RangeError` if the size in the options is no whole number from 1.
 */
export function usageOf(
  state: SessionConversationState,
  { contextWindow }: SessionUpdatesOptions,
): readonly UsageUpdate[] {
  if (contextWindow !== undefined && (!isCount(contextWindow) || contextWindow === 0))
    throw new RangeError(`contextWindow is a whole number from 1, not ${contextWindow}`)
  const size = contextWindow ?? state.session.contextWindow
  const used = contextTokens(state)
  if (!isCount(size) || !isCount(used)) return []
  const { costUsd } = state.session
  const cost = costUsd === undefined ? undefined : ({ amount: costUsd, currency: 'USD' } as const)
  return [omitUndefined({ sessionUpdate: 'usage_update', used, size, cost } as const)]
}

/** The figures of a session are foreign data, and ACP takes whole numbers alone. */
function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0
}

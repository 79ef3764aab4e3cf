import type { Claims, NewClaim } from './claim.ts'

/** An agent that sends requests, as a gateway sees it (RFC 00033). Times are in ms since the epoch. */
export interface AgentEntry {
  readonly id: string
  readonly name: string
  readonly startTime: number
  readonly lastUpdateTime: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly maxInputTokens?: number
  readonly estimatedInputTokens?: number
  readonly modelId?: string
  readonly status: 'streaming' | 'complete' | 'error'
  /** The host takes it for an agent that nobody started. */
  readonly isMain: boolean
  /** Counts the agents in the order in which they completed first. */
  readonly completionOrder?: number
  readonly systemPromptHash?: string
  /** Of the first request; tools that come and go later do not change it. */
  readonly agentTypeHash?: string
  readonly firstUserMessageHash?: string
  /** Null until the first response has ended, then fixed; so is the conversation's. */
  readonly firstAssistantResponseHash: string | null
  readonly conversationHash: string | null
  /** Known as soon as the child is linked, before the parent has a hash. */
  readonly parentAgentId?: string
  readonly parentConversationHash: string | null
  /** Of the children that have one, in the order of their start. */
  readonly childConversationHashes: readonly string[]
}

/** All agents in the order of their first request, and the claims that wait for a child, or have waited in vain. */
export interface AgentRegistry {
  readonly agents: readonly AgentEntry[]
  readonly claims: Claims
  readonly expiredClaims: Claims
}

interface AgentEventBase {
  /** In ms since the epoch. */
  readonly at: number
}

/** A request of an agent begins: its first one, or another of the same conversation. */
export interface AgentStartedEvent extends AgentEventBase {
  readonly type: 'agent:started'
  readonly agentId: string
  /** `unknown` where it is left out. */
  readonly name?: string
  readonly isMain?: boolean
  readonly modelId?: string
  readonly estimatedInputTokens?: number
  readonly maxInputTokens?: number
  readonly systemPromptHash?: string
  readonly agentTypeHash?: string
  readonly firstUserMessageHash?: string
  /** Hosts wrap prompts: of each text part of the first user message. The message's own hash where it is left out. */
  readonly promptHashes?: readonly string[]
  readonly toolUseId?: string
}

/** An agent streams a call that starts another. */
export interface AgentSpawningEvent
  extends AgentEventBase,
    Omit<NewClaim, 'parentAgentId' | 'parentAgentTypeHash' | 'parentConversationHash'> {
  readonly type: 'agent:spawning'
  readonly agentId: string
}

/** A response has ended. */
export interface AgentCompletedEvent extends AgentEventBase {
  readonly type: 'agent:completed'
  readonly agentId: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** The first text of the response, empty if it has none. Only that of the first response counts. */
  readonly responseText?: string
}

/** A request has failed. */
export interface AgentFailedEvent extends AgentEventBase {
  readonly type: 'agent:failed'
  readonly agentId: string
}

/** Time has passed; claims may have expired. */
export interface ClockAdvancedEvent extends AgentEventBase {
  readonly type: 'clock:advanced'
}

/** Everything that the registry folds. */
export type AgentEvent =
  | AgentStartedEvent
  | AgentSpawningEvent
  | AgentCompletedEvent
  | AgentFailedEvent
  | ClockAdvancedEvent

/**
 * What there is to say about an event:
 * - `unknown-agent`: nothing is known of the agent that it names
 * - `ambiguous-claim`: several parents wait for such a child; the oldest claim was taken
 * - `expired-claim`: a parent's child has not come in time
 */
export interface AgentIssue {
  readonly code: 'unknown-agent' | 'ambiguous-claim' | 'expired-claim'
  /** The agent; of an expired claim the parent. */
  readonly agentId: string
}

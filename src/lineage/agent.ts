import type { TokenSum } from '../selectors/usage.ts'
import type { Claim, Claims, NewClaim } from './claim.ts'
import type { MatchOptions } from './match.ts'

/**
 * An agent that sends requests, one at a time, as a gateway sees it (RFC 00033). Times are in ms since the epoch. Of what a
 * request tells of the conversation, the first one's counts.
 */
export interface AgentEntry {
  readonly id: string
  readonly name: string
  readonly startTime: number
  readonly lastUpdateTime: number
  /** Of the last response that told them, like `outputTokens`; 0 before. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of all responses that have ended: the last one's, which may be told again, stand by themselves. */
  readonly usage: { readonly earlier: TokenSum; readonly last: TokenSum }
  readonly maxInputTokens?: number
  readonly estimatedInputTokens?: number
  readonly modelId?: string
  readonly status: 'streaming' | 'complete' | 'error'
  /** The host knows that nobody started it: it answers no claim. */
  readonly isMain: boolean
  /** Counts the agents in the order in which they completed first. */
  readonly completionOrder?: number
  readonly systemPromptHash?: string
  /** Tools that come and go after the first request do not change it. */
  readonly agentTypeHash?: string
  readonly firstUserMessageHash?: string
  /** Of the first user message and each of its text parts: what a parent's claim may know. */
  readonly promptHashes: readonly string[]
  /** The parent's calls that it has answered: the one that started it, and those that had it go on. */
  readonly toolUseIds: readonly string[]
  /** Null until the first response has ended, then fixed; so is the conversation's. */
  readonly firstAssistantResponseHash: string | null
  readonly conversationHash: string | null
  /** Known as soon as the child is linked, before the parent has a hash. */
  readonly parentAgentId?: string
  /** Somebody started it, and it is not linked: the claim had expired, or several parents' were as good. */
  readonly isOrphan: boolean
  readonly parentConversationHash: string | null
  /** Of the children, in the order in which they became known. */
  readonly childConversationHashes: readonly string[]
}

/**
 * All agents in the order of their first request, and the claims that wait for a child, or have waited in vain. Plain data:
 * nothing is ever dropped, so a host that runs for weeks filters out old expired claims, and trees whose agents send no more
 * requests: one that comes back is taken for another.
 */
export interface AgentRegistry extends Required<MatchOptions> {
  readonly agents: readonly AgentEntry[]
  readonly claims: Claims
  readonly expiredClaims: Claims
}

interface AgentEventBase {
  /** In ms since the epoch. */
  readonly at: number
}

/**
 * A request of an agent begins: its first one, or another of the same conversation, also of an agent that had finished and
 * goes on. Where that answers another call of its parent, give its `toolUseId`.
 */
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
  /** Hosts wrap prompts: of each text part of the first user message. The whole message's counts too. */
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

/** What there is to say about an event. */
export type AgentIssue =
  /** Nothing is known of the agent that it names. */
  | { readonly code: 'unknown-agent'; readonly agentId: string }
  /**
   * Several parents wait for such a child, or several such children had started before the call. The oldest was taken, or none:
   * the registry's `onAmbiguous`.
   */
  | { readonly code: 'ambiguous-claim'; readonly agentId: string; readonly claim: Claim }
  /** The child of a claim that had expired. It stays an orphan. */
  | { readonly code: 'late-child'; readonly agentId: string; readonly claim: Claim }
  /** A parent's child has not come in time. */
  | { readonly code: 'expired-claim'; readonly agentId: string; readonly claim: Claim }

import type { TokenSum } from '../../selectors/usage.ts'
import type { TokenUsage } from '../../state/session.ts'
import type { Claim, Claims, MatchOptions, NewClaim } from '../claims.ts'

/**
 * An agent as a gateway sees it: it sends requests, one at a time (RFC 00033) unless they have ids. Times are in ms
 * since the epoch. The facts of the conversation come from the first request; later requests do not change them.
 */
export interface AgentEntry {
  readonly id: string
  /** The name that the first request gives, else the one in the parent's call, else `unknown`. */
  readonly name: string
  readonly startTime: number
  readonly lastUpdateTime: number
  /** Taken from the last response that reported it, like `outputTokens`; 0 before the first report. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The tokens of all ended responses. `last` is the last response: a repeated completion may still correct it. */
  readonly usage: { readonly earlier: TokenSum; readonly last: TokenSum }
  /** The size of the model's context window, as the host knows it. */
  readonly maxInputTokens?: number
  /** The host's estimate of the input of the last request. The tree shows it while the response streams. */
  readonly estimatedInputTokens?: number
  readonly modelId?: string
  /** While requests with ids are open, `streaming`. */
  readonly status: 'streaming' | 'complete' | 'error'
  /** The ids of the open requests. Absent if none that has an id is open. */
  readonly openRequests?: readonly string[]
  /** The id of the request that ended last, if it has one. */
  readonly endedRequest?: string
  /** The host knows that no agent started this one. It matches no claim. */
  readonly isMain: boolean
  /** Numbers the agents, from 0, in the order in which they first completed. */
  readonly completionOrder?: number
  readonly systemPromptHash?: string
  /** Tools that change after the first request do not change it. */
  readonly agentTypeHash?: string
  readonly firstUserMessageHash?: string
  /** The person of the first request. */
  readonly userHash?: string
  /** The hashes of the first user message and of each of its text parts. A parent's claim may hold one of them. */
  readonly promptHashes: readonly string[]
  /** The parent's calls that this agent answers: the call that started it and the calls that resumed it. */
  readonly toolUseIds: readonly string[]
  /** Null until the first response has ended, then fixed; so is `conversationHash`. */
  readonly firstAssistantResponseHash: string | null
  readonly conversationHash: string | null
  /**
   * False if the first response has no text, as in `ConversationIdentity`: such agents with one type and one prompt
   * share a hash. So do two with equal first texts, and it is true for both. Null until the first response has ended.
   */
  readonly isDistinct: boolean | null
  /** Known as soon as the child is linked, before the parent has a hash. */
  readonly parentAgentId?: string
  /** Another agent started it, but it has no link: its claim had expired, or claims of several parents matched equally well. */
  readonly isOrphan: boolean
  readonly parentConversationHash: string | null
  /** The hashes of the children, in the order in which they became known. */
  readonly childConversationHashes: readonly string[]
}

/** An open request that has an id. Only the registry reads it. */
export interface StartedRequest {
  readonly requestId: string
  readonly at: number
  readonly userHash?: string | undefined
  /** How another request of the agent has ended since. */
  readonly since?: AgentEntry['status']
}

/** An agent with the facts that only the registry reads. */
export interface TrackedAgent extends AgentEntry {
  readonly requests?: readonly StartedRequest[]
  /** The person of the last request, if it was ever another one than that of the first. */
  readonly lastUserHash?: string
}

/** A call, with the request in whose answer it came. */
export interface TrackedSpawningEvent extends AgentSpawningEvent {
  readonly requestId?: string | undefined
}

/** A request has failed, or nobody knows how it ended. Then a later answer of the agent counts more. */
export interface TrackedFailedEvent extends AgentFailedEvent {
  readonly isLost?: true
}

/**
 * All agents in the order of their first request, the open claims, and the claims that expired without a child. The
 * registry is plain data and drops nothing by itself: a host that runs for weeks calls `forgetAgents`.
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
 * A request of an agent begins: the first request, or another one of the same conversation. An agent that had
 * finished may continue this way. If the request answers another call of the parent, give the call's `toolUseId`.
 */
export interface AgentStartedEvent extends AgentEventBase {
  readonly type: 'agent:started'
  readonly agentId: string
  /** `unknown` by default. Leave it out unless the request proves it: a wrong name rules out the claim, even one with the same prompt. */
  readonly name?: string
  readonly isMain?: boolean
  /** The agent that started this one, if the request names it. It wins over claims. */
  readonly parentAgentId?: string
  readonly modelId?: string
  /** Your estimate of the request's input. The tree shows it while the response streams. */
  readonly estimatedInputTokens?: number
  /** The size of the model's context window in tokens. */
  readonly maxInputTokens?: number
  readonly systemPromptHash?: string
  readonly agentTypeHash?: string
  readonly firstUserMessageHash?: string
  /** The hash of each text part of the first user message, because hosts wrap prompts. The registry adds the whole message's hash. */
  readonly promptHashes?: readonly string[]
  readonly toolUseId?: string
  /** The person who sends the request, as a hash. Agents of two persons do not start each other. */
  readonly userHash?: string
  /** Names the request. Without ids, an agent has one request at a time. */
  readonly requestId?: string | undefined
}

/** An agent streams a call that starts another agent. */
export interface AgentSpawningEvent
  extends AgentEventBase,
    Omit<NewClaim, 'parentAgentId' | 'parentAgentTypeHash' | 'parentConversationHash' | 'userHash'> {
  readonly type: 'agent:spawning'
  readonly agentId: string
  /** The time is that of the whole answer: the call came at any time since the agent's request began. */
  readonly isOfWholeAnswer?: true
}

/** A response has ended. The tree adds up all its tokens. */
export interface AgentCompletedEvent extends AgentEventBase, TokenUsage {
  readonly type: 'agent:completed'
  readonly agentId: string
  /** The first text of the response, empty if it has none. Only the first response's text counts. */
  readonly responseText?: string
  /**
   * The request that ends. Without it, all open requests of the agent end. A second completion adds its facts only if
   * no request is open and this one ended last. All other events of a request that is not open change nothing.
   */
  readonly requestId?: string | undefined
}

/** A request has failed. */
export interface AgentFailedEvent extends AgentEventBase {
  readonly type: 'agent:failed'
  readonly agentId: string
  /** The request that failed. Without it, all open requests of the agent end. See `agent:completed` for repeated events. */
  readonly requestId?: string | undefined
}

/** Time has passed; claims may have expired. */
export interface ClockAdvancedEvent extends AgentEventBase {
  readonly type: 'clock:advanced'
}

/** Every event that the registry folds. */
export type AgentEvent =
  | AgentStartedEvent
  | AgentSpawningEvent
  | AgentCompletedEvent
  | AgentFailedEvent
  | ClockAdvancedEvent

/** A problem that an event causes or reveals. */
export type AgentIssue =
  /** The registry has no agent with this id. */
  | { readonly code: 'unknown-agent'; readonly agentId: string }
  /**
   * Claims of several parents match the child equally well, or several children started early and match the call. The
   * registry's `onAmbiguous` decides whether it links the oldest or none.
   */
  | { readonly code: 'ambiguous-claim'; readonly agentId: string; readonly claim: Claim }
  /** The child's claim had expired, and the child does not name its call. The child stays an orphan. */
  | { readonly code: 'late-child'; readonly agentId: string; readonly claim: Claim }
  /** No child answered the claim of this parent in time. */
  | { readonly code: 'expired-claim'; readonly agentId: string; readonly claim: Claim }

/** The result of one event. */
export interface AgentStep {
  readonly registry: AgentRegistry
  readonly issues: readonly AgentIssue[]
}

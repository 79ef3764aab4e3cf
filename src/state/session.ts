import type { ConversationBlock, SubagentStatus } from './block.ts'

/** The id of the main conversation; as a `toolUseId` or `agentId` it is refused. */
export const MAIN = 'main'

/** Tokens of one model message. An absent count is not known, which is not zero. */
export interface TokenUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** The ledger's entry for one message of one conversation. */
export interface MessageUsage extends TokenUsage {
  readonly messageId: string
  /** False while the figures are an early snapshot that a later report may replace. */
  readonly final: boolean
  readonly model?: string
}

/** What main and a subagent share: both are conversations. */
export interface ConversationThread {
  readonly blocks: readonly ConversationBlock[]
  readonly usage: readonly MessageUsage[]
}

/** A subagent's conversation and what is known of its run. An absent field is not known. */
export interface SubagentState extends ConversationThread {
  /** The tool call that started it: the primary key. */
  readonly toolUseId: string
  /** The program's own id for the agent: the second key. */
  readonly agentId?: string
  /** `'main'` or the parent's `toolUseId`; known from the spawn. */
  readonly parentConversationId?: string
  /** The agent type, such as `general-purpose`. */
  readonly name?: string
  readonly description?: string
  readonly prompt?: string
  readonly status: SubagentStatus
  /** The current run; a resume starts a new one. */
  readonly runId?: string
  readonly output?: string
  /** In ms. */
  readonly durationMs?: number
}

/** What is known of the session as a whole. */
export interface SessionFacts {
  readonly id?: string
  readonly model?: string
  readonly cwd?: string
  /** The program's own name for itself. */
  readonly program?: string
  readonly version?: string
  readonly tools?: readonly string[]
  /** In US dollars, as the program computed it. */
  readonly costUsd?: number
}

/** A session: the main conversation, and the subagents of all depths in one flat list. */
export interface SessionConversationState extends ConversationThread {
  readonly subagents: readonly SubagentState[]
  readonly session: SessionFacts
}

/** Returns the state of a session of which nothing is known yet. */
export function createInitialConversationState(): SessionConversationState {
  return Object.freeze({ blocks: [], usage: [], subagents: [], session: Object.freeze({}) })
}

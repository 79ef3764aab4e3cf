import type { FieldsOf } from '../json/shape.ts'
import type { ConversationBlock } from './block.ts'
import type { SubagentFacts } from './subagent.ts'

/** The id of the main conversation; as a `toolUseId` or `agentId` it is refused. */
export const MAIN = 'main'

/** Tokens of one model message. An absent count is not known, which is not zero. */
export interface TokenUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** The shape of the tokens of a message. */
export const TOKEN_USAGE: FieldsOf<TokenUsage> = {
  'inputTokens?': 'finite number',
  'outputTokens?': 'finite number',
  'cacheReadTokens?': 'finite number',
  'cacheWriteTokens?': 'finite number',
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

/** A subagent's conversation and its facts. An absent field is not known. */
export interface SubagentState extends ConversationThread, SubagentFacts {
  /** `'main'` or the parent's `toolUseId`; known from the spawn. */
  readonly parentConversationId?: string
  readonly prompt?: string
  /** The current run; a resume starts a new one. */
  readonly runId?: string
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

/** The shape of the session's facts. */
export const SESSION_FACTS: FieldsOf<SessionFacts> = {
  'id?': 'string',
  'model?': 'string',
  'cwd?': 'string',
  'program?': 'string',
  'version?': 'string',
  'tools?': { listOf: 'string' },
  'costUsd?': 'finite number',
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

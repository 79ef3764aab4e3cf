import { type FieldsOf, fieldNames } from '../json/shape.ts'
import { isObject } from '../json/values.ts'
import type { ConversationBlock } from './block.ts'
import type { SubagentFacts } from './subagent.ts'
import type { Todo } from './todo.ts'
import type { SessionTurn } from './turn.ts'

/** The id of the main conversation. The reducer refuses it as a `toolUseId` or `agentId`. */
export const MAIN = 'main'

/** Returns the input that was neither read from the cache nor written to it, where a program counts those tokens as input. */
export function uncachedInput(input: number | undefined, cacheRead = 0, cacheWrite = 0): number | undefined {
  return input === undefined ? undefined : Math.max(0, input - cacheRead - cacheWrite)
}

/**
 * Tokens of one model message. An absent count is unknown, which is not zero. The whole input is the sum of
 * `inputTokens`, `cacheReadTokens` and `cacheWriteTokens`.
 */
export interface TokenUsage {
  /** The input without the cache: neither read from it nor written to it. */
  readonly inputTokens?: number
  /** The output with its thinking. */
  readonly outputTokens?: number
  /** The part of the output that is thinking. */
  readonly reasoningTokens?: number
  /** The input that the provider read from its cache. */
  readonly cacheReadTokens?: number
  /** The input that the provider wrote to its cache. */
  readonly cacheWriteTokens?: number
  /** The part of the cache writes that are kept for an hour, and cost more. */
  readonly cacheWrite1hTokens?: number
  /** The web searches that the provider ran for the model, and bills by number. */
  readonly webSearches?: number
  /** Input and output of which the program states only the sum. They are in no other count, and no price fits them. */
  readonly unsplitTokens?: number
}

/** The shape of the tokens of a message. */
export const TOKEN_USAGE: FieldsOf<TokenUsage> = {
  'inputTokens?': 'finite number',
  'outputTokens?': 'finite number',
  'reasoningTokens?': 'finite number',
  'cacheReadTokens?': 'finite number',
  'cacheWriteTokens?': 'finite number',
  'cacheWrite1hTokens?': 'finite number',
  'webSearches?': 'finite number',
  'unsplitTokens?': 'finite number',
}

/** The names of the counts. */
export const TOKEN_COUNTS: readonly (keyof TokenUsage)[] = /* @__PURE__ */ fieldNames<TokenUsage>(TOKEN_USAGE)

/** Whether a report has any count. */
export function hasCounts(usage: TokenUsage): boolean {
  return TOKEN_COUNTS.some((name) => usage[name] !== undefined)
}

/** Returns the tokens of a message's input and output. */
export function contextSize({
  inputTokens = 0,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
  outputTokens = 0,
  unsplitTokens = 0,
}: TokenUsage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens + unsplitTokens
}

/** The ledger's entry for one message of one conversation. */
export interface MessageUsage extends TokenUsage {
  readonly messageId: string
  /** False if the figures are provisional: a later report may replace them. */
  readonly final: boolean
  readonly model?: string
  /**
   * The result of the agent's run states these tokens of the run's last message, without the id of that message. So
   * `messageId` is one of its own. The entry leaves as soon as the message itself has one.
   */
  readonly fromResult?: true
}

/** A conversation: main's or a subagent's. */
export interface ConversationThread {
  readonly blocks: readonly ConversationBlock[]
  readonly usage: readonly MessageUsage[]
  /** The agent's plan. Absent if it never made one. */
  readonly todos?: readonly Todo[]
}

/** A subagent's conversation and its facts. An absent field is unknown. */
export interface SubagentState extends ConversationThread, SubagentFacts {
  /** `'main'` or the parent's `toolUseId`. The spawn names it. */
  readonly parentConversationId?: string
  readonly prompt?: string
  /** The current run. A resume starts a new one. */
  readonly runId?: string
  /**
   * The ids of the agent's blocks that the end of an input finalized, and of the agent's own block if it was only
   * announced. It is there, perhaps empty, if that end stopped the agent, and neither the program nor a person did. A
   * block leaves the list when it ends by itself or is removed.
   */
  readonly openBlocks?: readonly string[]
}

/** A conversation, and what a cut left open in it. Main's turn has the list, and the state of a subagent. */
type CutThread = Partial<Pick<SessionConversationState, 'turn'> & Pick<SubagentState, 'openBlocks'>>

/** Whether the block of the conversation has not ended: it is pending, or final only because the input ended. */
export function isOpenBlock({ id, status }: ConversationBlock, { turn, openBlocks }: CutThread): boolean {
  return status === 'pending' || (turn?.openBlocks ?? openBlocks)?.includes(id) === true
}

/** The known facts of the whole session. */
export interface SessionFacts {
  /** The id of the session in its program. */
  readonly id?: string
  /** The title that the program or the person gave the session. A host may set it from a listing: most streams do not state it. */
  readonly title?: string
  /** The model of main. */
  readonly model?: string
  /** The working folder. */
  readonly cwd?: string
  /** The program's own name for itself. */
  readonly program?: string
  /** The protocol that carried the session, if the program's own format did not. */
  readonly protocol?: string
  /** The version of the program. */
  readonly version?: string
  /** The names of the tools that the program offers to the model. */
  readonly tools?: readonly string[]
  /** In US dollars, as the program computed it. */
  readonly costUsd?: number
  /** The tokens in main's context, if the program reports them apart from those of messages. */
  readonly contextTokens?: number
  /** The size of main's context window in tokens. */
  readonly contextWindow?: number
}

/** The shape of the session's facts. */
export const SESSION_FACTS: FieldsOf<SessionFacts> = {
  'id?': 'name',
  'title?': 'string',
  'model?': 'string',
  'cwd?': 'string',
  'program?': 'string',
  'protocol?': 'string',
  'version?': 'string',
  'tools?': { listOf: 'string' },
  'costUsd?': 'finite number',
  'contextTokens?': 'finite number',
  'contextWindow?': 'finite number',
}

/** A part of the main conversation that the person abandoned by a rewind. */
export interface Branch {
  /** The id of the `system` block that marks the rewind. */
  readonly id: string
  readonly blocks: readonly ConversationBlock[]
}

/** A session: the main conversation, and the subagents of all depths in one flat list. */
export interface SessionConversationState extends ConversationThread {
  readonly turn: SessionTurn
  readonly subagents: readonly SubagentState[]
  readonly session: SessionFacts
  /** The abandoned branches, in the order of the rewinds. Absent if there was no rewind. */
  readonly branches?: readonly Branch[]
}

/** Returns the state of a session before its first event. */
export function createInitialConversationState(): SessionConversationState {
  return Object.freeze({
    blocks: [],
    usage: [],
    turn: Object.freeze({ status: 'idle' }),
    subagents: [],
    session: Object.freeze({}),
  })
}

/** Whether the value has the parts of a session state. It does not look into blocks, because a state has many. */
export function hasStateParts(value: unknown): value is SessionConversationState {
  if (!isThread(value) || !isObject(value.session)) return false
  return Array.isArray(value.subagents) && value.subagents.every(isThread)
}

function isThread(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && isListOfObjects(value.blocks) && isListOfObjects(value.usage)
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject)
}

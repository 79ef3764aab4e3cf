import {
  type BlockOf,
  type ConversationBlock,
  isModelText,
  isPrompt,
  messageIdOf,
} from '../core/state/block.ts'

/** One of two states of a session: read from the live stream, or from stored files. */
export type Side = 'live' | 'stored'

/**
 * A kind of content that one side may lack because its format never records it. Kinds of blocks:
 * - `unfinished`: still pending when the input ended, or the result that only the file has of a call that a killed
 *   program left open
 * - `interrupted-text`: the text, or half an input, of a message that was cut: the program stores them only when
 *   they are complete
 * - `prompt`: the person's prompts, if the stream has none of them
 * - `program-note`: user messages that the program wrote: commands, notifications, reminders, skills
 * - `system-note`: hooks, retries and other notes of the program, except interruptions of main and compactions
 * - `turn-failure`: the stream's report that a turn failed
 * - `thinking`: main's thinking, if the stream has none of it
 * - `subagent-prompt`, `subagent-text`, `subagent-conversation`: content of subagents that the stream does not
 *   forward, or shows as that of main
 * - `fork-context`: the copy of the parent's message at the start of a forked subagent's file
 * - `internal-call`: a call that the program reports to no client, such as a script of the model or a call of an
 *   unknown tool
 * - `killed-subagent`: a subagent that wrote no file because the program was killed
 * - `before-compaction`: the messages before a compaction, which a replay leaves out
 * - `abandoned-branch`: the messages of a branch, if the other side does not show that the person left it
 * - `request`: a request that a side does not store: one without an answer, or whose answer leaves no trace in its
 *   files
 *
 * Kinds of facts about blocks that both sides have:
 * - `tool-use-place`: a call's place among the calls of its message
 * - `tool-result-place`: the place of a result or a request among the other blocks
 * - `request-words`: a request's own id, and the title and further facts that the program sends to the client
 * - `unknown-fact`: a time, a model, a run, a fact of the session or a diff that only one side knows
 * - `provisional-usage`: tokens of which one side has only an early figure
 * - `unseen-usage`: tokens of a message of which one side has nothing
 */
export type ExclusionKind =
  | 'unfinished'
  | 'interrupted-text'
  | 'prompt'
  | 'program-note'
  | 'system-note'
  | 'turn-failure'
  | 'thinking'
  | 'subagent-prompt'
  | 'subagent-text'
  | 'subagent-conversation'
  | 'fork-context'
  | 'killed-subagent'
  | 'internal-call'
  | 'before-compaction'
  | 'abandoned-branch'
  | 'request'
  | 'tool-use-place'
  | 'tool-result-place'
  | 'request-words'
  | 'unknown-fact'
  | 'provisional-usage'
  | 'unseen-usage'

/** The content that one side has of one conversation. */
export interface ContentSummary {
  /** The side has more of the conversation than requests. */
  readonly hasBlocks: boolean
  readonly hasPrompts: boolean
  readonly hasThinking: boolean
  /** The conversation begins with the summary of earlier messages. */
  readonly beginsWithSummary: boolean
  /** The block ids of the model's text and thinking. */
  readonly modelTextIds: ReadonlySet<string>
  /** The `toolUseId` of each call. */
  readonly callIds: ReadonlySet<string>
  /** The ids of the blocks on abandoned branches. */
  readonly branchIds: ReadonlySet<string>
}

/** A block that only one side has, with the facts that decide whether its format explains that. */
export interface UnmatchedBlock {
  readonly block: ConversationBlock
  /** The side that has the block. */
  readonly side: Side
  readonly isMain: boolean
  /** The program's version, such as `1.0.128`. */
  readonly version: string
  /** The other side has the block as the work of an agent. */
  readonly isOfAgent: boolean
  /** The other side's content of the same conversation. */
  readonly other: ContentSummary
  /** The block is the last text of a message that was cut. */
  readonly isCut: boolean
  /** An interruption, an error or the next prompt follows the block, or nothing if the turn was interrupted. */
  readonly isStopped: boolean
  /** The call that the block is, or has the result of. */
  readonly call?: BlockOf<'tool_use'>
  /** The stream has no text of the subagent's run that the block belongs to. */
  readonly isUnforwarded: boolean
  /** The ids of messages and calls in the conversation that called the subagent. */
  readonly parentIds: ReadonlySet<string>
}

/** A rule that explains why only one side has a block. */
export interface ExclusionRule {
  readonly kind: ExclusionKind
  /** The side that has the block; `both` if either may have it alone. */
  readonly side: Side | 'both'
  applies(unmatched: UnmatchedBlock): boolean
}

/** The content that a format's live stream and its stored files carry. */
export interface Coverage {
  /** In order: the first rule that applies gives the kind. */
  readonly exclusions: readonly ExclusionRule[]
  /** The stream reports calls as they finish, so those of one message may be out of order. */
  callsArriveAsTheyFinish(live: ContentSummary): boolean
  /** Both sides give the start and end of each call, so a side without them missed something. */
  readonly timesEveryCall: boolean
  /** The program has a stream without any tokens. */
  readonly streamMayLackTokens?: boolean
  /**
   * Whether the stream is a short form of the session: some calls, agents and details are not in it. A program may
   * have several streams, and its files are the same for all.
   */
  isShort?(live: ContentSummary): boolean
  /**
   * Whether the format gave the id to a block, because the program's message has none that its other side has too. If
   * a session has such ids, the comparison pairs the blocks by their content and order.
   */
  isOwnId?(id: string): boolean
  /** Returns the names of the fields of a block that one side does not state. */
  unknownFields?(pair: BlockPair): readonly string[]
  /** The facts about an agent that only one side may know. */
  readonly agentFacts?: readonly string[]
  /** The facts about an agent that the two sides state in their own ways. */
  readonly ownAgentFacts?: readonly string[]
  /** The facts about a session and its turn that the two sides state in their own ways. */
  readonly ownFacts?: readonly ('cost' | 'model' | 'program' | 'todos' | 'outcome')[]
  /** The stored side lacks the work of agents, and the agents of agents. */
  readonly storesMainOnly?: boolean
  /** The stream counts the tokens of agents among those of the session. */
  readonly streamSumsAgents?: boolean
  /** The stream has no tokens of a message that was stopped. */
  readonly lacksTokensOfStopped?: boolean
  /** Each side has its own ids and its own limits of texts, so their content alone pairs the blocks. */
  readonly alignsByContent?: boolean
}

/** The same block on both sides. */
export interface BlockPair {
  readonly live: ConversationBlock
  readonly stored: ConversationBlock
}

/** The stream does not repeat the person's prompts. */
export const PROMPTS: ExclusionRule = {
  kind: 'prompt',
  side: 'stored',
  applies: ({ block, isMain, other }) => isMain && isPrompt(block) && !other.hasPrompts,
}

/** A message of an agent's parent, which the stream does not forward. */
export const SUBAGENT_PROMPTS: ExclusionRule = {
  kind: 'subagent-prompt',
  side: 'stored',
  applies: ({ block, isMain }) => !isMain && isPrompt(block),
}

/** The program stores a text when it is whole. */
export const STOPPED_TEXTS: ExclusionRule = {
  kind: 'interrupted-text',
  side: 'live',
  applies: ({ block, isStopped }) => isStopped && isModelText(block),
}

/** The stream has no message that the program wrote in the person's place. */
export const PROGRAM_NOTES: ExclusionRule = {
  kind: 'program-note',
  side: 'stored',
  applies: ({ block }) => block.type === 'user_message' && block.origin !== undefined,
}

/** Either side may lack notes, except those that change the conversation. Subagents' interruptions are only stored. */
export const SYSTEM_NOTES: ExclusionRule = {
  kind: 'system-note',
  side: 'both',
  applies: ({ block, isMain }) => {
    if (block.type !== 'system') return false
    if (block.subtype === 'interruption') return !isMain
    return block.subtype !== 'compaction'
  },
}

/** The stream has nothing of the subagent. */
export const SUBAGENT_CONVERSATIONS: ExclusionRule = {
  kind: 'subagent-conversation',
  side: 'stored',
  applies: ({ isMain, other }) => !isMain && !other.hasBlocks,
}

/** The stream shows the work of agents as that of main. */
export const MERGED_WORK: ExclusionRule = {
  kind: 'subagent-conversation',
  side: 'live',
  applies: ({ isMain, isOfAgent }) => isMain && isOfAgent,
}

/** Whether the block is a call, or a result, that is none of these calls'. */
export function isOtherCall(block: ConversationBlock, callIds: ReadonlySet<string>): boolean {
  return (block.type === 'tool_use' || block.type === 'tool_result') && !callIds.has(block.toolUseId)
}

/** Returns the ids that a copied block shares with its original: those of its message and its call. */
export function sharedIds(block: ConversationBlock): readonly string[] {
  const toolUseId = 'toolUseId' in block ? block.toolUseId : undefined
  return [messageIdOf(block), toolUseId].filter((id) => id !== undefined)
}

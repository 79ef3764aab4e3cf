import { mergeFields, type ShapeOf, type VariantsOf } from '../json/shape.ts'
import { CONTENT_PART, type UserContentPart } from './content.ts'
import { FILE_CHANGE, type FileChange } from './file-change.ts'
import { REQUEST_FACTS, type RequestFacts } from './request.ts'
import { SUBAGENT_FACTS, type SubagentFacts } from './subagent.ts'

/**
 * Lifecycle of a block. It is `pending` while it streams or waits for a result, and then final: `complete` or
 * `error`.
 */
export type BlockStatus = 'pending' | 'complete' | 'error'

/** The fields that every block has. */
export interface BlockBase {
  /** Unique within its conversation only: a forked agent repeats the ids of its parent. */
  readonly id: string
  /** `'main'` or the `toolUseId` of the subagent whose conversation this is. */
  readonly conversationId: string
  /** ISO 8601, from the source. Absent if the source has no time. */
  readonly timestamp?: string
}

interface StatusBlock extends BlockBase {
  readonly status: BlockStatus
}

/**
 * The role of a user message that the program wrote in the person's place:
 * - `command`: a command of the program, or its output
 * - `notification`: news of a task or an agent
 * - `summary`: the summary of the conversation before a compaction
 * - `meta`: any other note to the model
 */
export type UserMessageOrigin = 'command' | 'notification' | 'summary' | 'meta'

/** A message to the model from a person, from a parent agent or, with an `origin`, from the program. */
export interface UserMessageBlock extends StatusBlock {
  readonly type: 'user_message'
  /** A message of one text is a string. */
  readonly content: string | readonly UserContentPart[]
  readonly origin?: UserMessageOrigin
  /** The program saved the files before the message, so that the person can go back to them. */
  readonly checkpoint?: boolean
  /** The files that the turn has changed, if the program sums them up. Changes by shell commands are included. */
  readonly changes?: readonly FileChange[]
}

/** Text that the model wrote. */
export interface AssistantTextBlock extends StatusBlock {
  readonly type: 'assistant_text'
  readonly content: string
  readonly messageId?: string
  readonly model?: string
}

/** Thinking of the model. It is empty and `redacted` if the provider hides it. */
export interface ThinkingBlock extends StatusBlock {
  readonly type: 'thinking'
  readonly content: string
  readonly redacted?: boolean
  readonly messageId?: string
  readonly model?: string
}

/** A tool call. It is pending until its result arrives, and then `complete`, or `error` if the result is an error. */
export interface ToolUseBlock extends StatusBlock {
  readonly type: 'tool_use'
  readonly toolName: string
  readonly toolUseId: string
  /** The call's arguments, as the source's JSON. */
  readonly input: unknown
  /** The JSON of the input so far, while it streams. */
  readonly inputText?: string
  readonly messageId?: string
  /** Set if the person ran the tool, such as a command with `!`, and no model asked for it. */
  readonly requestedBy?: 'person'
}

/** The result of a tool call. */
export interface ToolResultBlock extends StatusBlock {
  readonly type: 'tool_result'
  readonly toolUseId: string
  /** The source's JSON: usually a string or a list of parts. */
  readonly output: unknown
  readonly isError: boolean
  /** In ms. */
  readonly durationMs?: number
  /** The exit code of a command, if the program reports it. */
  readonly exitCode?: number
  /** The files that the tool has changed. */
  readonly changes?: readonly FileChange[]
}

/** A request of the program to the person, such as for a permission. It is pending until the program has an answer or withdraws it. */
export interface RequestBlock extends StatusBlock, RequestFacts {
  readonly type: 'request'
}

/** The place in the parent's conversation where a subagent was started. Its status is the subagent's. */
export interface SubagentBlock extends BlockBase, SubagentFacts {
  readonly type: 'subagent'
  /** The prompt. It is empty while the call still streams. */
  readonly input: string
  /** The JSON of the call's arguments so far, while they stream. It leaves when the agent starts or ends, or when an upsert has none. */
  readonly inputText?: string
  readonly messageId?: string
}

/** A report of the program, such as a compaction, a hook, a permission, a retry or an interruption. */
export interface SystemBlock extends StatusBlock {
  readonly type: 'system'
  /** The kind of the report, such as `compaction`, `rewind`, `retry`, `hook` or `interruption`. */
  readonly subtype: string
  readonly message: string
  /** Further facts, as the source's JSON. */
  readonly data?: unknown
  /** In a `compaction`: the earlier blocks that the model still has beside the summary, if the program states them. */
  readonly keptBlockIds?: readonly string[]
  /** In a `compaction`: the tokens in the context behind it, if the program states them. */
  readonly contextTokens?: number
}

/** A failure that ended a turn or an agent, such as an API error. */
export interface ErrorBlock extends StatusBlock {
  readonly type: 'error'
  readonly message: string
  readonly code?: string
}

/** The text of a skill that the program loaded into the conversation. */
export interface SkillLoadBlock extends StatusBlock {
  readonly type: 'skill_load'
  readonly skillName: string
  readonly content: string
}

/** One entry of a conversation. */
export type ConversationBlock =
  | UserMessageBlock
  | AssistantTextBlock
  | ThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | RequestBlock
  | SubagentBlock
  | SystemBlock
  | ErrorBlock
  | SkillLoadBlock

const STATUS: ShapeOf<BlockStatus> = { oneOf: { pending: true, complete: true, error: true } }

/** The shape of a block in a state. */
export const BLOCK: VariantsOf<ConversationBlock, BlockBase> = {
  fields: { id: 'name', conversationId: 'name', 'timestamp?': 'name' },
  byType: {
    user_message: {
      status: STATUS,
      content: { stringOr: { listOf: CONTENT_PART } },
      'origin?': { oneOf: { command: true, notification: true, summary: true, meta: true } },
      'checkpoint?': 'boolean',
      'changes?': { listOf: { fields: FILE_CHANGE } },
    },
    assistant_text: { status: STATUS, content: 'string', 'messageId?': 'name', 'model?': 'string' },
    thinking: {
      status: STATUS,
      content: 'string',
      'messageId?': 'name',
      'model?': 'string',
      'redacted?': 'boolean',
    },
    tool_use: {
      status: STATUS,
      toolName: 'string',
      toolUseId: 'name',
      input: 'JSON value',
      'inputText?': 'string',
      'messageId?': 'name',
      'requestedBy?': { oneOf: { person: true } },
    },
    tool_result: {
      status: STATUS,
      toolUseId: 'name',
      output: 'JSON value',
      isError: 'boolean',
      'durationMs?': 'finite number',
      'exitCode?': 'finite number',
      'changes?': { listOf: { fields: FILE_CHANGE } },
    },
    request: /* @__PURE__ */ mergeFields({ status: STATUS }, REQUEST_FACTS),
    subagent: /* @__PURE__ */ mergeFields(SUBAGENT_FACTS, {
      input: 'string',
      'inputText?': 'string',
      'messageId?': 'name',
    }),
    system: {
      status: STATUS,
      subtype: 'string',
      message: 'string',
      'data?': 'JSON value',
      'keptBlockIds?': { listOf: 'name' },
      'contextTokens?': 'finite number',
    },
    error: { status: STATUS, message: 'string', 'code?': 'string' },
    skill_load: { status: STATUS, skillName: 'string', content: 'string' },
  },
}

/** Returns the id of the model's message that the block belongs to, if the block names one. */
export function messageIdOf(block: ConversationBlock): string | undefined {
  return 'messageId' in block ? block.messageId : undefined
}

/** Returns the model that wrote the block, if the block names it. */
export function modelOf(block: ConversationBlock): string | undefined {
  return 'model' in block ? block.model : undefined
}

/** Returns the last text of the model. That of an agent is its report. */
export function lastText(blocks: readonly ConversationBlock[]): string | undefined {
  return blocks.findLast((block) => block.type === 'assistant_text')?.content
}

/** Whether the block, or the subagent that it stands for, is not final. */
export function isPending({ status }: ConversationBlock): boolean {
  return status === 'pending' || status === 'running'
}

/** The call of a tool or of an agent. */
export type CallBlock = BlockOf<'tool_use' | 'subagent'>

export function isCall(block: ConversationBlock | undefined): block is CallBlock {
  return block?.type === 'tool_use' || block?.type === 'subagent'
}

/** Whether the block is a text or a thought of the model. */
export function isModelText(
  block: ConversationBlock | undefined,
): block is BlockOf<'assistant_text' | 'thinking'> {
  return block?.type === 'assistant_text' || block?.type === 'thinking'
}

/** Whether the block is a message of a person or a parent agent. A message that the program wrote in their place is not. */
export function isPrompt(block: ConversationBlock): block is UserMessageBlock {
  return block.type === 'user_message' && block.origin === undefined
}

/** Whether a block proves that main works on. A pending note of the program does not: hooks run before and after turns too. */
export function isPendingWork({ status, type }: Pick<ConversationBlock, 'status' | 'type'>): boolean {
  return status === 'pending' && type !== 'system'
}

/** Whether the block is the program's note that the person stopped the model. */
export function isInterruption(block: ConversationBlock): boolean {
  return block.type === 'system' && block.subtype === 'interruption'
}

/** The `type` of every block. */
export type BlockType = ConversationBlock['type']

/** The block of that type. */
export type BlockOf<Type extends BlockType> = Extract<ConversationBlock, { readonly type: Type }>

const SUBAGENT_BLOCK = 'subagent:'

/** Returns the id of a subagent's block in the parent's conversation. */
export function subagentBlockId(toolUseId: string): string {
  return SUBAGENT_BLOCK + toolUseId
}

/** Returns the id of the call of a subagent's block. Any other id of a block is no such call. */
export function toolUseIdOfBlock(blockId: string): string {
  return isSubagentBlockId(blockId) ? blockId.slice(SUBAGENT_BLOCK.length) : ''
}

/** Whether the id belongs to a subagent's block. The reducer refuses any other block with such an id. */
export function isSubagentBlockId(id: string): boolean {
  return id.startsWith(SUBAGENT_BLOCK)
}

/** Returns the id of the block that holds a call's result. */
export function toolResultBlockId(toolUseId: string): string {
  return `${toolUseId}:result`
}

/** Returns the id of a request that only its call shows. A live program gives a request an id of its own. */
export function requestBlockId(toolUseId: string): string {
  return `${toolUseId}:request`
}

/** The subtype of a block that marks where the person has rewound the conversation. */
export const REWIND = 'rewind'

/** The message of such a block. It is the same in all formats. */
export const REWOUND = 'The person rewound the conversation'

/** Whether the block marks a rewind. */
export function isRewindMark(block: ConversationBlock): block is BlockOf<'system'> {
  return block.type === 'system' && block.subtype === REWIND
}

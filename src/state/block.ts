import { mergeFields, type ShapeOf, type VariantsOf } from '../json/shape.ts'
import { CONTENT_PART, type UserContentPart } from './content.ts'
import { SUBAGENT_FACTS, type SubagentFacts } from './subagent.ts'

/**
 * Lifecycle of a block: `pending` while it is being built or waits for a result, then final as `complete` or `error`.
 */
export type BlockStatus = 'pending' | 'complete' | 'error'

interface BlockBase {
  /** Unique within its conversation, not across conversations: a forked agent repeats its parent's ids. */
  readonly id: string
  /** `'main'` or the `toolUseId` of the subagent whose conversation this is. */
  readonly conversationId: string
  /** ISO 8601, from the source; absent where the source has no time. */
  readonly timestamp?: string
}

interface StatusBlock extends BlockBase {
  readonly status: BlockStatus
}

/** Who wrote a user message that the person did not write: the program, and in which role. */
export type UserMessageOrigin = 'command' | 'notification' | 'summary' | 'meta'

/** What a person, a parent agent or (with `origin`) the program said to the model. */
export interface UserMessageBlock extends StatusBlock {
  readonly type: 'user_message'
  /** One text alone is a string. */
  readonly content: string | readonly UserContentPart[]
  readonly origin?: UserMessageOrigin
}

/** Text of the model. */
export interface AssistantTextBlock extends StatusBlock {
  readonly type: 'assistant_text'
  readonly content: string
  readonly messageId?: string
  readonly model?: string
}

/** Thinking of the model; empty and `redacted` where the provider hides it. */
export interface ThinkingBlock extends StatusBlock {
  readonly type: 'thinking'
  readonly content: string
  readonly redacted?: boolean
  readonly messageId?: string
  readonly model?: string
}

/** A tool call: pending until its result is there, then complete, or error if the result is one. */
export interface ToolUseBlock extends StatusBlock {
  readonly type: 'tool_use'
  readonly toolName: string
  readonly toolUseId: string
  /** The call's arguments, JSON as the source has it. */
  readonly input: unknown
  readonly messageId?: string
}

/** What a tool answered. */
export interface ToolResultBlock extends StatusBlock {
  readonly type: 'tool_result'
  readonly toolUseId: string
  /** JSON as the source has it: mostly a string, or a list of parts. */
  readonly output: unknown
  readonly isError: boolean
  /** In ms. */
  readonly durationMs?: number
}

/** The place in the parent's conversation where a subagent was started. Its status is the subagent's. */
export interface SubagentBlock extends BlockBase, SubagentFacts {
  readonly type: 'subagent'
  /** The prompt; empty while the call still streams. */
  readonly input: string
  readonly messageId?: string
}

/** Something that the program reports: compaction, hook, permission, retry, interruption and the like. */
export interface SystemBlock extends StatusBlock {
  readonly type: 'system'
  readonly subtype: string
  readonly message: string
  /** Further facts, JSON as the source has it. */
  readonly data?: unknown
}

/** A failure that ended a turn or an agent, such as an API error. */
export interface ErrorBlock extends StatusBlock {
  readonly type: 'error'
  readonly message: string
  readonly code?: string
}

/** A skill's text as it was loaded into the conversation. */
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
  | SubagentBlock
  | SystemBlock
  | ErrorBlock
  | SkillLoadBlock

const STATUS: ShapeOf<BlockStatus> = { oneOf: { pending: true, complete: true, error: true } }

/** The shape of a block in a state. */
export const BLOCK: VariantsOf<ConversationBlock, BlockBase> = {
  fields: { id: 'string', conversationId: 'string', 'timestamp?': 'string' },
  byType: {
    user_message: {
      status: STATUS,
      content: { stringOr: { listOf: CONTENT_PART } },
      'origin?': { oneOf: { command: true, notification: true, summary: true, meta: true } },
    },
    assistant_text: { status: STATUS, content: 'string', 'messageId?': 'string', 'model?': 'string' },
    thinking: {
      status: STATUS,
      content: 'string',
      'messageId?': 'string',
      'model?': 'string',
      'redacted?': 'boolean',
    },
    tool_use: {
      status: STATUS,
      toolName: 'string',
      toolUseId: 'string',
      input: 'JSON value',
      'messageId?': 'string',
    },
    tool_result: {
      status: STATUS,
      toolUseId: 'string',
      output: 'JSON value',
      isError: 'boolean',
      'durationMs?': 'finite number',
    },
    subagent: /* @__PURE__ */ mergeFields(SUBAGENT_FACTS, { input: 'string', 'messageId?': 'string' }),
    system: { status: STATUS, subtype: 'string', message: 'string', 'data?': 'JSON value' },
    error: { status: STATUS, message: 'string', 'code?': 'string' },
    skill_load: { status: STATUS, skillName: 'string', content: 'string' },
  },
}

/** Returns the id of the model's message that a block belongs to, where it names one. */
export function messageIdOf(block: ConversationBlock): string | undefined {
  return 'messageId' in block ? block.messageId : undefined
}

/** Whether the block is what a person, or a parent agent, said to the model; the program's words in their place are not. */
export function isPrompt(block: ConversationBlock): block is UserMessageBlock {
  return block.type === 'user_message' && block.origin === undefined
}

/** The `type` of every block. */
export type BlockType = ConversationBlock['type']

/** The block of that type. */
export type BlockOf<Type extends BlockType> = Extract<ConversationBlock, { readonly type: Type }>

const SUBAGENT_BLOCK = 'subagent:'

/** Returns the id of the block that stands for a subagent in its parent's conversation. */
export function subagentBlockId(toolUseId: string): string {
  return SUBAGENT_BLOCK + toolUseId
}

/** Whether the id belongs to a subagent's block; other blocks are refused under it. */
export function isSubagentBlockId(id: string): boolean {
  return id.startsWith(SUBAGENT_BLOCK)
}

/** Returns the id of the block that holds a call's result. */
export function toolResultBlockId(toolUseId: string): string {
  return `${toolUseId}:result`
}

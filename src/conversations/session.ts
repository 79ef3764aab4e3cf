import { omitUndefined } from '../core/json/fields.ts'
import { isTime } from '../core/json/iso-time.ts'
import { findConversation } from '../core/selectors/find.ts'
import { type ConversationBlock, isPrompt, type UserMessageBlock } from '../core/state/block.ts'
import type { UserContentPart } from '../core/state/content.ts'
import {
  isOpenBlock,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../core/state/session.ts'
import { agentToolName } from '../programs/all.ts'
import { type Conversation, type ConversationMessage, newConversation, toIsoTime } from './conversation.ts'

/** The options of `sessionConversation`. */
export interface SessionConversationOptions {
  /** `'main'` (the default), or a subagent's `toolUseId` or `agentId`. */
  readonly conversationId?: string
  /** ISO 8601, or ms since the epoch. Messages before the first message with a known time get this time. */
  readonly now: string | number
}

/**
 * Returns the messages of a session as one active conversation of a log, or null while no message is complete. The
 * messages are the prompts of the user and the texts of the model, each text with the tools that were called before
 * it. Thinking, tool results and messages of the program are left out. While a session runs, messages are only added.
 * So you can append each one to a log, and the log sets the boundaries. Throws a `RangeError` if `now` is not a time.
 */
export function sessionConversation(
  state: SessionConversationState,
  { conversationId = MAIN, now }: SessionConversationOptions,
): Conversation | null {
  const thread = findConversation(state, conversationId) ?? NO_CONVERSATION
  const agentTool = agentToolName(state.session.program)
  const messages = messagesIn(thread, { agentTool, now: toIsoTime(now) })
  const [first] = messages
  return first ? newConversation(first.timestamp, messages) : null
}

interface Call {
  readonly block: ConversationBlock
  readonly toolName: string
}

const NO_CONVERSATION: Pick<SubagentState, 'blocks' | 'openBlocks'> = { blocks: [] }

function messagesIn(
  thread: SessionConversationState | typeof NO_CONVERSATION,
  { agentTool, now }: { readonly agentTool: string; readonly now: string },
): readonly ConversationMessage[] {
  const messages: ConversationMessage[] = []
  let calls: Call[] = []
  const timeBefore = () => messages.at(-1)?.timestamp ?? now
  for (const block of thread.blocks) {
    if (block.type === 'tool_use') calls.push({ block, toolName: block.toolName })
    if (block.type === 'subagent') calls.push({ block, toolName: agentTool })
    if (!isMessageBlock(block)) continue
    // The message of an open block would change later.
    if (isOpenBlock(block, thread)) break
    const [call] = calls
    // Tool calls without a text after them are a message of the model too.
    if (block.type === 'user_message' && call) {
      messages.push(assistantMessage(call.block, '', { calls, before: timeBefore() }))
      calls = []
    }
    if (block.type === 'user_message') messages.push(userMessage(block, timeBefore()))
    if (block.type === 'assistant_text' && block.content !== '') {
      messages.push(assistantMessage(block, block.content, { calls, before: timeBefore() }))
      calls = []
    }
  }
  return messages
}

function isMessageBlock(block: ConversationBlock): boolean {
  return block.type === 'assistant_text' || isPrompt(block)
}

function userMessage(block: UserMessageBlock, before: string): ConversationMessage {
  return { id: block.id, timestamp: blockTime(block, before), role: 'user', content: userText(block) }
}

function assistantMessage(
  block: ConversationBlock,
  content: string,
  { calls, before }: { readonly calls: readonly Call[]; readonly before: string },
): ConversationMessage {
  const tools = new Set(calls.map(({ toolName }) => toolName))
  const toolsUsed = tools.size === 0 ? undefined : [...tools]
  return omitUndefined({
    id: block.id,
    timestamp: blockTime(block, before),
    role: 'assistant',
    content,
    toolsUsed,
  })
}

/** A transcript may hold any text as a timestamp, but a log accepts only times. */
function blockTime({ timestamp }: ConversationBlock, before: string): string {
  return isTime(timestamp) ? timestamp : before
}

function userText({ content }: UserMessageBlock): string {
  return typeof content === 'string' ? content : content.map(partText).join('\n')
}

function partText(part: UserContentPart): string {
  if (part.type === 'text') return part.text
  return part.type === 'image' ? '[image]' : `[file${part.name === undefined ? '' : ` ${part.name}`}]`
}

import { omitUndefined } from '../json/omit-undefined.ts'
import { findConversation } from '../selectors/find.ts'
import { type BlockOf, type ConversationBlock, isPrompt, type UserMessageBlock } from '../state/block.ts'
import type { UserContentPart } from '../state/content.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { type Conversation, type ConversationMessage, newConversation } from './conversation.ts'
import { isTime, timeOf } from './time.ts'

/** Which conversation of a session, and what its blocks may not tell. */
export interface SessionConversationOptions {
  /** `'main'`, or a subagent's `toolUseId` or `agentId`; main where it is left out. */
  readonly conversationId?: string
  /** ISO 8601, or ms since the epoch; the time of messages before the first one of which the session tells it. */
  readonly now: string | number
}

/**
 * Returns a session's conversation as a log has it, or null while nothing has been said to its end: what the person wrote and
 * each text of the model, with the tools that were called before it. As a session goes on messages are only added, so they can
 * be appended to a log as they come, which then draws the boundaries. Thinking, results and what the program says are left out.
 * Throws a `RangeError` for a time that is none.
 */
export function sessionConversation(
  state: SessionConversationState,
  { conversationId = MAIN, now }: SessionConversationOptions,
): Conversation | null {
  const messages = messagesIn(findConversation(state, conversationId)?.blocks ?? [], timeOf(now))
  const [first] = messages
  return first ? newConversation(first.timestamp, messages) : null
}

type Call = BlockOf<'tool_use'> | BlockOf<'subagent'>

function messagesIn(blocks: readonly ConversationBlock[], now: string): readonly ConversationMessage[] {
  const messages: ConversationMessage[] = []
  let calls: Call[] = []
  const timeBefore = () => messages.at(-1)?.timestamp ?? now
  for (const block of blocks) {
    if (block.type === 'tool_use' || block.type === 'subagent') calls.push(block)
    if (!isSaid(block)) continue
    // What is still being written would be another message later.
    if (block.status === 'pending') break
    const [call] = calls
    // Tools that the model said nothing after are an answer too.
    if (block.type === 'user_message' && call) {
      messages.push(modelMessage(call, '', { calls, before: timeBefore() }))
      calls = []
    }
    if (block.type === 'user_message') messages.push(userMessage(block, timeBefore()))
    if (block.type === 'assistant_text' && block.content !== '') {
      messages.push(modelMessage(block, block.content, { calls, before: timeBefore() }))
      calls = []
    }
  }
  return messages
}

function isSaid(block: ConversationBlock): boolean {
  return block.type === 'assistant_text' || isPrompt(block)
}

function userMessage(block: UserMessageBlock, before: string): ConversationMessage {
  return { id: block.id, timestamp: timeIn(block, before), role: 'user', content: textOf(block) }
}

function modelMessage(
  block: ConversationBlock,
  content: string,
  { calls, before }: { readonly calls: readonly Call[]; readonly before: string },
): ConversationMessage {
  const tools = new Set(calls.map((call) => (call.type === 'tool_use' ? call.toolName : 'Agent')))
  const toolsUsed = tools.size === 0 ? undefined : [...tools]
  return omitUndefined({
    id: block.id,
    timestamp: timeIn(block, before),
    role: 'assistant',
    content,
    toolsUsed,
  })
}

/** A transcript may tell anything as a time, and a log takes none but times. */
function timeIn({ timestamp }: ConversationBlock, before: string): string {
  return isTime(timestamp) ? timestamp : before
}

function textOf({ content }: UserMessageBlock): string {
  return typeof content === 'string' ? content : content.map(partText).join('\n')
}

function partText(part: UserContentPart): string {
  if (part.type === 'text') return part.text
  return part.type === 'image' ? '[image]' : `[file${part.name === undefined ? '' : ` ${part.name}`}]`
}

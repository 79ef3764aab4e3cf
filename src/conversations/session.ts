import { findConversation } from '../selectors/find.ts'
import type { ConversationBlock, UserContentPart, UserMessageBlock } from '../state/block.ts'
import { known } from '../state/known.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import type { Conversation, ConversationMessage } from './conversation.ts'

/** Which conversation of a session, and what its blocks may not tell. */
export interface SessionConversationOptions {
  /** `'main'`, or a subagent's `toolUseId` or `agentId`; main where it is left out. */
  readonly conversationId?: string
  /** ISO 8601; the time of messages before the first one of which the session tells it. */
  readonly now: string
}

/**
 * Returns a session's conversation as a log has it, or null while nobody has said anything that is finished: what the person
 * wrote, and what the model answered until the person's next message, as one message with the tools that it called. Its
 * messages can be appended to a log, which then draws the boundaries. Thinking, results and what the program says are left out.
 */
export function sessionConversation(
  state: SessionConversationState,
  { conversationId = MAIN, now }: SessionConversationOptions,
): Conversation | null {
  const turns = turnsIn(findConversation(state, conversationId)?.blocks ?? [])
  const messages: ConversationMessage[] = []
  for (const turn of turns) messages.push(messageOf(turn, messages.at(-1)?.timestamp ?? now))
  const [first] = messages
  if (!first) return null
  const { timestamp: startedAt } = first
  return { id: `conv-${startedAt}`, startedAt, endedAt: null, title: null, summary: null, messages }
}

/** A message of the person, or all blocks of the model until the next one. */
type Turn = readonly [ConversationBlock, ...ConversationBlock[]]

/** Those that are finished: what is still being written would be another message later. */
function turnsIn(blocks: readonly ConversationBlock[]): readonly Turn[] {
  const turns: [ConversationBlock, ...ConversationBlock[]][] = []
  for (const block of blocks) {
    if (!isSaid(block)) continue
    const turn = turns.at(-1)
    if (turn && turn[0].type !== 'user_message' && block.type !== 'user_message') turn.push(block)
    else turns.push([block])
  }
  return turns.filter((turn) => turn.every(({ status }) => status !== 'pending' && status !== 'running'))
}

function isSaid(block: ConversationBlock): boolean {
  if (block.type === 'user_message') return block.origin === undefined
  return block.type === 'assistant_text' || block.type === 'tool_use' || block.type === 'subagent'
}

function messageOf([first, ...others]: Turn, before: string): ConversationMessage {
  const { id, timestamp = before } = first
  if (first.type === 'user_message') return { id, timestamp, role: 'user', content: textOf(first) }
  const blocks = [first, ...others]
  const toolsUsed = [...new Set(blocks.flatMap(toolIn))]
  return known({
    id,
    timestamp,
    role: 'assistant' as const,
    content: blocks.flatMap((block) => (block.type === 'assistant_text' ? block.content : [])).join('\n\n'),
    toolsUsed: toolsUsed.length === 0 ? undefined : toolsUsed,
  })
}

function toolIn(block: ConversationBlock): readonly string[] {
  if (block.type === 'tool_use') return [block.toolName]
  return block.type === 'subagent' ? ['Agent'] : []
}

function textOf({ content }: UserMessageBlock): string {
  return typeof content === 'string' ? content : content.map(partText).join('\n')
}

function partText(part: UserContentPart): string {
  if (part.type === 'text') return part.text
  return part.type === 'image' ? '[image]' : `[file${part.name === undefined ? '' : ` ${part.name}`}]`
}

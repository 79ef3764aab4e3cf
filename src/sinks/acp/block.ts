import { assertNever } from '../../json/assert-never.ts'
import type { PlainBlock } from '../../selectors/walk.ts'
import type { UserMessageBlock } from '../../state/block.ts'
import { textContent, userContent } from './content.ts'
import type { MessageChunk } from './messages.ts'

/**
 * Returns the chunks of a block. Requests, system blocks and loaded skills have none, because ACP has no update for them. Empty texts have
 * none either.
 */
export function blockChunks(block: PlainBlock): readonly MessageChunk[] {
  switch (block.type) {
    case 'user_message':
      return userChunks(block)
    case 'assistant_text':
      return textChunks('agent_message_chunk', block.messageId ?? block.id, block.content)
    case 'thinking':
      return textChunks('agent_thought_chunk', block.messageId ?? block.id, block.content)
    case 'error':
      return textChunks('agent_message_chunk', block.id, block.message)
    case 'request':
    case 'system':
    case 'skill_load':
      return []
    default:
      return assertNever(block)
  }
}

/** Agents send the summary of a compaction as the person's message, and nothing else that a program wrote in the person's place. */
function userChunks({ id, origin, content }: UserMessageBlock): readonly MessageChunk[] {
  if (origin !== undefined && origin !== 'summary') return []
  return userContent(content).map((part) => ({
    sessionUpdate: 'user_message_chunk',
    messageId: id,
    content: part,
  }))
}

function textChunks(
  sessionUpdate: MessageChunk['sessionUpdate'],
  messageId: string,
  text: string,
): readonly MessageChunk[] {
  return text === '' ? [] : [{ sessionUpdate, messageId, content: textContent(text) }]
}

import { type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import type { SessionConversationState } from '../../../state/session.ts'

/**
 * Returns main's blocks as they were before the end of an input finalized them. The input's end interrupts a turn, and a live stream
 * may go on with its last message: with a text that has no final tokens, or with calls that have no result.
 */
export function reopenedBlocks({
  turn,
  blocks,
  usage,
}: SessionConversationState): readonly ConversationBlock[] {
  if (turn.status !== 'interrupted') return blocks
  const last = lastOfTurn(blocks)
  const messageId = last && messageIdOf(last)
  const isFinal = usage.some((entry) => entry.final && entry.messageId === messageId)
  const answered = new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : [])))
  const isOpen = (block: ConversationBlock) => {
    if (block.type === 'tool_use') return !answered.has(block.toolUseId)
    return block === last && !isFinal && (block.type === 'assistant_text' || block.type === 'thinking')
  }
  return blocks.map((block) =>
    messageId !== undefined &&
    messageIdOf(block) === messageId &&
    block.status === 'complete' &&
    isOpen(block)
      ? { ...block, status: 'pending' }
      : block,
  )
}

/** Whether the end of an input, and not a person, has interrupted main's turn. */
export function isInterruptedByEnd({ turn, blocks }: SessionConversationState): boolean {
  return turn.status === 'interrupted' && lastOfTurn(blocks)?.type !== 'system'
}

function lastOfTurn(blocks: readonly ConversationBlock[]): ConversationBlock | undefined {
  return blocks.findLast((block) => !isNote(block))
}

/** Whether the block is a note of the program. After a person's interruption nothing goes on. */
function isNote(block: ConversationBlock): boolean {
  return block.type === 'system' && block.subtype !== 'interruption'
}

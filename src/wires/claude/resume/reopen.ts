import { answeredCalls } from '../../../selectors/find.ts'
import { lastOfTurn, openText } from '../../../session/resume/resumed-turn.ts'
import { type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import type { SessionConversationState } from '../../../state/session.ts'

/**
 * Returns main's blocks as they were before the end of an input finalized them. That end interrupts a turn, and a live stream may go on
 * with the turn's last message: with its open text, or with calls that have no result.
 */
export function reopenedBlocks(state: SessionConversationState): readonly ConversationBlock[] {
  const { turn, blocks } = state
  if (turn.status !== 'interrupted') return blocks
  const last = lastOfTurn(blocks)
  const messageId = last && messageIdOf(last)
  const text = openText(state)
  const answered = answeredCalls(blocks)
  const isOpen = (block: ConversationBlock) =>
    block.type === 'tool_use' ? !answered.has(block.toolUseId) : block === text
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

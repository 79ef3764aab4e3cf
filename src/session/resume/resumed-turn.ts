import type { BlockOf, ConversationBlock } from '../../state/block.ts'
import type { SessionConversationState } from '../../state/session.ts'

/**
 * Returns the text that may go on, although the end of an input has made it final. It is the last block of an interrupted turn, and its
 * message has no final tokens.
 */
export function openText({
  turn,
  blocks,
  usage,
}: SessionConversationState): BlockOf<'assistant_text' | 'thinking'> | undefined {
  const last = lastOfTurn(blocks)
  if (turn.status !== 'interrupted' || (last?.type !== 'assistant_text' && last?.type !== 'thinking')) return
  const isFinal = usage.some(({ messageId, final }) => final && messageId === last.messageId)
  return isFinal ? undefined : last
}

/** Returns the last block that is no note or request of the program. A person's interruption counts: nothing goes on after it. */
export function lastOfTurn(blocks: readonly ConversationBlock[]): ConversationBlock | undefined {
  return blocks.findLast((block) =>
    block.type === 'system' ? block.subtype === 'interruption' : block.type !== 'request',
  )
}

import { type ConversationBlock, messageIdOf } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isWhole } from '../blocks/model/message-blocks.ts'
import type { MessageRef } from '../blocks/model/message-stream.ts'
import type { ClaudeContext } from '../context.ts'

/**
 * Up to 2.1.197, a stream repeats the prompt of a turn only before the answer's first whole block. So the deltas of that block come
 * before the prompt, which belongs above them.
 */
export function expectPrompt(context: ClaudeContext): void {
  context.remember({ hasPrompt: undefined, unpromptedMessages: undefined })
}

/** A whole block of the answer, or a prompt before the answer, proves that no prompt of the turn follows. */
export function stopExpectingPrompt(context: ClaudeContext): void {
  context.remember({ hasPrompt: true, unpromptedMessages: undefined })
}

/** Remembers a message of main that begins to stream before the prompt of its turn. */
export function rememberUnprompted({ conversationId, messageId }: MessageRef, context: ClaudeContext): void {
  const { hasPrompt, unpromptedMessages = [] } = context.notes
  if (conversationId === MAIN && !hasPrompt && !unpromptedMessages.includes(messageId))
    context.remember({ unpromptedMessages: [...unpromptedMessages, messageId] })
}

/** Moves the blocks that streamed before the prompt of their turn below that prompt. */
export function moveAnswerBelowPrompt(context: ClaudeContext): void {
  const { unpromptedMessages } = context.notes
  if (!unpromptedMessages) return stopExpectingPrompt(context)
  // A list of its own, because each move changes the look-up.
  for (const messageId of unpromptedMessages)
    for (const block of [...context.blocksOfMessage(MAIN, messageId)]) {
      if (isWhole(block, MAIN, context)) continue
      const copy = { ...block }
      context.emit({ type: 'block:removed', conversationId: MAIN, blockId: block.id })
      context.upsert(MAIN, copy)
    }
}

/** Whether a message without a whole block follows an answer or nothing: the prompt of its turn may follow. */
export function isUnprompted(blocks: readonly ConversationBlock[], messageId: string): boolean {
  const at = blocks.findIndex((block) => messageIdOf(block) === messageId)
  if (at < 0) return true
  if (blocks.slice(at).some(({ status }) => status !== 'pending')) return false
  const before = blocks.slice(0, at).findLast(({ type }) => type !== 'system')
  return before === undefined || before.type === 'assistant_text' || before.type === 'error'
}

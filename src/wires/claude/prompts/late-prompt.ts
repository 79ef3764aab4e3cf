import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { MAIN } from '../../../state/session.ts'
import { upsertStartedBlock } from '../blocks/model/model-block.ts'
import { messageOf, storeBlock } from '../blocks/model/model-message.ts'
import type { ClaudeContext } from '../context.ts'
import type { MessageBlock, MessageRef } from '../memory.ts'

/**
 * Up to 2.1.197, a stream repeats the prompt of a turn only before the answer's first whole block. So the deltas of that block come
 * before the prompt, which belongs above them. Until then, the source keeps the content of the blocks that stream.
 */
export function expectPrompt(context: ClaudeContext): void {
  context.remember({ unpromptedMessages: [] })
}

/** A whole block of the answer, or a prompt before the answer, proves that no prompt of the turn follows. */
export function stopExpectingPrompt(context: ClaudeContext): void {
  if (context.memory.unpromptedMessages) context.remember({ unpromptedMessages: undefined })
}

/** Remembers a message of main that begins to stream before the prompt of its turn. */
export function rememberUnprompted({ conversationId, messageId }: MessageRef, context: ClaudeContext): void {
  const { unpromptedMessages } = context.memory
  if (conversationId === MAIN && unpromptedMessages && !unpromptedMessages.includes(messageId))
    context.remember({ unpromptedMessages: [...unpromptedMessages, messageId] })
}

/** Keeps the content of a block whose stream begins, if the prompt of its turn may still follow. */
export function keepStartedPart(
  part: JsonObject,
  blockId: string,
  ref: MessageRef,
  context: ClaudeContext,
): void {
  const isUnprompted = context.memory.unpromptedMessages?.includes(ref.messageId) === true
  if (ref.conversationId !== MAIN || !isUnprompted) return
  const block = messageOf(ref, context).blocks.find(({ id }) => id === blockId)
  if (block) storeBlock(withChanges(block, { startedPart: part }), ref, context)
}

/** Adds a delta to the content that the source keeps of the block. */
export function keepDelta(block: MessageBlock, delta: string, ref: MessageRef, context: ClaudeContext): void {
  const { startedPart, textSoFar = '' } = block
  if (!startedPart || !context.memory.unpromptedMessages) return
  storeBlock(withChanges(block, { textSoFar: textSoFar + delta }), ref, context)
}

/** Moves the blocks that streamed before the prompt of their turn below that prompt. */
export function moveAnswerBelowPrompt(context: ClaudeContext): void {
  const { unpromptedMessages = [] } = context.memory
  if (unpromptedMessages.length === 0) return stopExpectingPrompt(context)
  for (const messageId of unpromptedMessages) {
    const ref = { conversationId: MAIN, messageId }
    const { blocks, model } = messageOf(ref, context)
    for (const { id: blockId, startedPart, textSoFar: delta } of blocks) {
      if (!startedPart) continue
      context.emit({ type: 'block:removed', conversationId: MAIN, blockId })
      upsertStartedBlock(startedPart, omitUndefined({ ...ref, blockId, model }), context)
      if (delta !== undefined) context.emit({ type: 'block:delta', conversationId: MAIN, blockId, delta })
    }
  }
}

import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asString, type JsonObject } from '../../../json/values.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import type { ClaudeContext } from '../context.ts'
import type { ModelMessage } from '../memory.ts'
import { blockIdOf } from './model-block.ts'

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

const NEW_MESSAGE: ModelMessage = { streamedBlocks: [], wholeBlocksEnd: 0, isUsageFinal: false }

/** Returns the message as the source remembers it. */
export function messageOf(
  { conversationId, messageId }: MessageRef,
  { memory }: ClaudeContext,
): ModelMessage {
  return memory.messages.get(compositeKey(conversationId, messageId)) ?? NEW_MESSAGE
}

/** Remembers the message. */
export function storeMessage(ref: MessageRef, message: ModelMessage, context: ClaudeContext): void {
  const { messages } = context.memory
  context.remember({ messages: messages.with(compositeKey(ref.conversationId, ref.messageId), message) })
}

/**
 * Records a whole block, and returns its id. The block completes the first streamed block of its kind that is not whole.
 * Otherwise its index is the stated one (files of 2.1.330 state it), else the next free one.
 */
export function recordWholeBlock(
  part: JsonObject,
  { index, ...ref }: MessageRef & { readonly index: number | undefined },
  context: ClaudeContext,
): string {
  const message = messageOf(ref, context)
  const { streamedBlocks, wholeBlocksEnd } = message
  const toolUseId = asString(part.id)
  const started = streamedBlocks.find(
    (block) => !block.isWhole && block.contentType === part.type && block.toolUseId === toolUseId,
  )
  if (started) {
    const blocks = streamedBlocks.map((block) => (block === started ? { ...block, isWhole: true } : block))
    storeMessage(ref, { ...message, streamedBlocks: blocks }, context)
    return started.id
  }
  const place = index ?? streamedBlocks.reduce((end, block) => Math.max(end, block.index + 1), wholeBlocksEnd)
  storeMessage(ref, { ...message, wholeBlocksEnd: Math.max(wholeBlocksEnd, place + 1) }, context)
  return blockIdOf(part, { messageId: ref.messageId, index: place })
}

/** Records a block that begins to stream, and returns its id. */
export function recordStartedBlock(
  part: JsonObject,
  { index, ...ref }: MessageRef & { readonly index: number },
  context: ClaudeContext,
): string {
  const message = messageOf(ref, context)
  const id = blockIdOf(part, { messageId: ref.messageId, index })
  const block = omitUndefined({
    id,
    contentType: asString(part.type) ?? '',
    toolUseId: asString(part.id),
    index,
    isWhole: false,
  })
  storeMessage(ref, { ...message, streamedBlocks: [...message.streamedBlocks, block] }, context)
  return id
}

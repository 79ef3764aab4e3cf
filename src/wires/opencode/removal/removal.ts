import type { ConversationBlock } from '../../../core/state/block.ts'
import { contentParts, showUserMessage } from '../blocks/user-message.ts'
import type { OpencodeContext } from '../context.ts'
import {
  findMessage,
  findPrompt,
  forgetGrowth,
  forgetMessage,
  messageNote,
  noteMessage,
  noteRemoved,
  removeFromNote,
} from '../messages.ts'
import type { MessageRef } from '../place.ts'
import { closeMessage } from '../turn.ts'
import { blocksOfMessage, blocksOfPart, branchOfMessage, confirmRevert } from './revert.ts'

/** Removes a part and its blocks. A user message keeps its block while other parts are left. */
export function removePart(ref: MessageRef, partId: string, context: OpencodeContext): void {
  const { sessionId, conversationId } = ref
  const content = contentParts(ref, context)
  const left = partId === '' ? content : content.filter(({ id }) => id !== partId)
  const isContent = left.length < content.length
  const blocks = isContent ? [] : blocksOfPart(ref, partId, context)
  const { steps } = messageNote(ref, context.notes) ?? {}
  if (!isContent && blocks.length === 0 && !steps?.get(partId)) return
  noteRemoved(sessionId, partId, context.notes)
  forgetGrowth({ sessionId, conversationId, partId }, context.notes)
  if (isContent) return removeContent(ref, left, context)
  removeBlocks(ref, blocks, context)
  removeFromNote(ref, 'steps', partId, context)
  removeFromNote(ref, 'blockIds', partId, context)
}

type Content = ReturnType<typeof contentParts>

/** Shows the user's words that are left in a message. Without any, the message still is the user's. */
function removeContent(ref: MessageRef, left: Content, context: OpencodeContext): void {
  if (left.length > 0) return showUserMessage(ref, left, context)
  const { timestamp } = findPrompt(ref, context.state) ?? {}
  context.notes.removeEntry('contentParts', context.notes.keyOf(ref.sessionId, ref.messageId))
  noteMessage(ref, { isUser: true, timestamp }, context)
  context.emit({ type: 'block:removed', conversationId: ref.conversationId, blockId: ref.messageId })
}

/** Removes blocks of a message, and what the notes have of them. */
export function removeBlocks(
  { sessionId, conversationId }: MessageRef,
  blocks: readonly ConversationBlock[],
  context: OpencodeContext,
): void {
  for (const block of blocks) {
    forgetBlock(sessionId, block, context.notes)
    context.emit({ type: 'block:removed', conversationId, blockId: block.id })
  }
}

/** Forgets what the notes have of a block. */
function forgetBlock(sessionId: string, block: ConversationBlock, notes: OpencodeContext['notes']): void {
  const { id, conversationId, type } = block
  if (type === 'tool_use' || type === 'subagent')
    notes.removeEntry('callParts', notes.keyOf(sessionId, block.toolUseId))
  else if (type === 'user_message') notes.removeEntry('contentParts', notes.keyOf(sessionId, id))
  forgetGrowth({ sessionId, conversationId, partId: id }, notes)
}

/** Removes a message and its blocks. A message that the person has reverted stays on its branch, for good. */
export function removeMessage(ref: MessageRef, context: OpencodeContext): void {
  const { sessionId, messageId } = ref
  const branch = branchOfMessage(ref, context.state)
  if (!branch && !findMessage(ref, context)) return
  const blocks = blocksOfMessage(ref, context, branch?.blocks)
  forgetMessage(ref, context.notes)
  noteRemoved(sessionId, messageId, context.notes)
  if (branch) {
    for (const block of blocks) forgetBlock(sessionId, block, context.notes)
    confirmRevert(branch.id, context)
  } else removeBlocks(ref, blocks, context)
  closeMessage(ref, context.notes)
}

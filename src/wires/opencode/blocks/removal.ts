import { errorBlockId } from '../../../programs/opencode/error-id.ts'
import { type ConversationBlock, messageIdOf } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import type { OpencodeContext } from '../context.ts'
import {
  findMessage,
  findPrompt,
  forgetGrowth,
  forgetMessage,
  messageNote,
  noteMessage,
  noteRemoved,
} from '../messages.ts'
import type { MessageRef } from '../place.ts'
import { sessionNote } from '../sessions.ts'
import { closeMessage, isOlderId } from '../turn.ts'
import { callOfPart } from './calls.ts'
import { rewindBlockId, upsertSystemBlock } from './system-block.ts'
import { contentParts, showUserMessage } from './user-message.ts'

/** Returns the blocks of a message in their order, with the results and requests of its calls. */
export function blocksOfMessage(ref: MessageRef, context: OpencodeContext): readonly ConversationBlock[] {
  const { conversationId, messageId } = ref
  const { blockIds = [] } = messageNote(ref, context) ?? {}
  const own = new Set([messageId, errorBlockId(messageId), ...blockIds])
  const calls = new Set<string>()
  return context.blocksOf(conversationId).filter((block) => {
    const toolUseId = callIdIn(block)
    if (messageIdOf(block) !== messageId && !own.has(block.id)) return calls.has(toolUseId ?? '')
    if (toolUseId !== undefined) calls.add(toolUseId)
    return true
  })
}

/** Returns the blocks of a part: its own one, or those of its call. */
function blocksOfPart(
  ref: MessageRef,
  partId: string,
  context: OpencodeContext,
): readonly ConversationBlock[] {
  const { conversationId } = ref
  const call = callOfPart(ref, partId, context)
  if (call) return context.blocksOf(conversationId).filter((block) => callIdIn(block) === call.toolUseId)
  const own = context.findBlock(conversationId, partId)
  return own ? [own] : []
}

function callIdIn(block: ConversationBlock): string | undefined {
  return 'toolUseId' in block ? block.toolUseId : undefined
}

/** Removes a part and its blocks. A user message keeps its block while other parts are left. */
export function removePart(ref: MessageRef, partId: string, context: OpencodeContext): void {
  const { sessionId, conversationId } = ref
  const content = contentParts(ref, context)
  const left = partId === '' ? content : content.filter(({ id }) => id !== partId)
  const isContent = left.length < content.length
  const blocks = isContent ? [] : blocksOfPart(ref, partId, context)
  const { steps = [], blockIds = [] } = messageNote(ref, context) ?? {}
  if (!isContent && blocks.length === 0 && !steps.includes(partId)) return
  noteRemoved(sessionId, partId, context)
  forgetGrowth({ sessionId, conversationId, partId }, context)
  if (isContent) return removeContent(ref, left, context)
  removeBlocks(ref, blocks, context)
  noteMessage(ref, { steps: without(steps, partId), blockIds: without(blockIds, partId) }, context)
}

type Content = ReturnType<typeof contentParts>

/** Shows the user's words that are left in a message. Without any, the message still is the user's. */
function removeContent(ref: MessageRef, left: Content, context: OpencodeContext): void {
  if (left.length > 0) return showUserMessage(ref, left, context)
  const { timestamp } = findPrompt(ref, context) ?? {}
  context.removeEntry('contentParts', context.keyOf(ref.sessionId, ref.messageId))
  noteMessage(ref, { isUser: true, timestamp }, context)
  context.emit({ type: 'block:removed', conversationId: ref.conversationId, blockId: ref.messageId })
}

/** Returns the ids without the given one, or undefined if none is left. */
function without(ids: readonly string[], id: string): readonly string[] | undefined {
  const others = ids.filter((other) => other !== id)
  return others.length === 0 ? undefined : others
}

/** Removes blocks of a message, and what the notes have of them. */
export function removeBlocks(
  { sessionId, conversationId }: MessageRef,
  blocks: readonly ConversationBlock[],
  context: OpencodeContext,
): void {
  for (const block of blocks) {
    forgetBlock(sessionId, block, context)
    context.emit({ type: 'block:removed', conversationId, blockId: block.id })
  }
}

/** Forgets what the notes have of a block. */
function forgetBlock(sessionId: string, block: ConversationBlock, context: OpencodeContext): void {
  const { id, conversationId, type } = block
  if (type === 'tool_use' || type === 'subagent')
    context.removeEntry('callParts', context.keyOf(sessionId, block.toolUseId))
  else if (type === 'user_message') context.removeEntry('contentParts', context.keyOf(sessionId, id))
  forgetGrowth({ sessionId, conversationId, partId: id }, context)
}

/** Removes a message and its blocks. */
export function removeMessage(ref: MessageRef, context: OpencodeContext): void {
  if (!findMessage(ref, context)) return
  const { sessionId, messageId } = ref
  const blocks = blocksOfMessage(ref, context)
  forgetMessage(ref, context)
  noteRemoved(sessionId, messageId, context)
  if (isReverted(ref, context)) abandon(ref, blocks, context)
  else removeBlocks(ref, blocks, context)
  closeMessage(ref, context)
}

/** The next prompt after a revert removes the reverted messages one by one. */
function isReverted({ sessionId, conversationId, messageId }: MessageRef, context: OpencodeContext): boolean {
  const { revertMessage } = sessionNote(sessionId, context)
  return conversationId === MAIN && revertMessage !== undefined && !isOlderId(messageId, revertMessage)
}

/** Main's reverted blocks leave as a branch, which a block marks. */
function abandon(
  { sessionId, conversationId }: MessageRef,
  blocks: readonly ConversationBlock[],
  context: OpencodeContext,
): void {
  const { revertMessage = '' } = sessionNote(sessionId, context)
  const branchId = rewindBlockId(revertMessage)
  for (const block of blocks) forgetBlock(sessionId, block, context)
  const blockIds = blocks.map(({ id }) => id)
  context.emit({ type: 'branch:abandoned', branchId, blockIds })
  const message = 'The person rewound the conversation'
  const data = { messageId: revertMessage }
  upsertSystemBlock(conversationId, { id: branchId, subtype: 'rewind', message, data }, context)
}

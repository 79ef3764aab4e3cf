import { omitUndefined } from '../../../../core/json/fields.ts'
import { type ConversationBlock, isModelText, messageIdOf } from '../../../../core/state/block.ts'
import { MAIN } from '../../../../core/state/session.ts'
import { PersistentMap } from '../../../../reading/notes/persistent-map.ts'
import type { ClaudeContext, MessageStream, StreamedBlock } from '../../notes.ts'

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

const NO_BLOCKS: readonly StreamedBlock[] = []

/** Returns the stream of a message, if no other message of its conversation has streamed since. */
function streamOf(
  { conversationId, messageId }: MessageRef,
  { notes: { values: notes } }: ClaudeContext,
): MessageStream | undefined {
  const stream = notes.streams.get(conversationId)
  return stream?.messageId === messageId ? stream : undefined
}

/** Returns the blocks of a message that have begun to stream, and whose whole block is not there yet. */
export function streamedBlocks(ref: MessageRef, context: ClaudeContext): readonly StreamedBlock[] {
  return streamOf(ref, context)?.blocks ?? NO_BLOCKS
}

/** Sets these blocks of a message. */
export function storeStreamedBlocks(
  ref: MessageRef,
  blocks: readonly StreamedBlock[],
  context: ClaudeContext,
): void {
  if (blocks.length !== streamedBlocks(ref, context).length) updateStream(ref, { blocks }, context)
}

/** Replaces a block of the message that streams, or adds it. */
export function storeStreamedBlock(ref: MessageRef, block: StreamedBlock, context: ClaudeContext): void {
  const blocks = streamedBlocks(ref, context)
  const others = blocks.filter(({ id }) => id !== block.id)
  updateStream(ref, { blocks: [...others, block] }, context)
}

/** Returns the text of a block that streams. */
export function textOfBlock(block: ConversationBlock): string | undefined {
  if (block.type === 'tool_use') return block.inputText
  return isModelText(block) ? block.content : undefined
}

/** Remembers facts about the stream of a message. Another message of the conversation streams no longer. */
export function updateStream(
  ref: MessageRef,
  changes: {
    readonly blocks?: readonly StreamedBlock[]
    readonly deltaUuids?: PersistentMap<true> | undefined
  },
  context: ClaudeContext,
): void {
  const { messageId, conversationId } = ref
  const known = streamOf(ref, context) ?? { messageId, blocks: NO_BLOCKS }
  context.notes.setEntry('streams', conversationId, omitUndefined({ ...known, ...changes }))
}

/** Whether the message has ended. A stream may repeat it after a reconnect. */
export function isStopped(ref: MessageRef, context: ClaudeContext): boolean {
  const { conversationId, messageId } = ref
  if (conversationId === MAIN && context.state.isAbandoned(messageId)) return true
  const stream = context.notes.values.streams.get(conversationId)
  if (!stream || stream.messageId === messageId) return stream?.isStopped === true
  if (lastMessageOf(conversationId, context) === messageId) return false
  return context.state.hasBlocks(conversationId, messageId)
}

/** Returns the id of the last message of a model in a conversation. */
export function lastMessageOf(conversationId: string, context: ClaudeContext): string | undefined {
  for (const block of context.state.blocksFromEnd(conversationId)) {
    const messageId = messageIdOf(block)
    if (messageId !== undefined) return messageId
  }
  return undefined
}

/** Remembers that main's stream has reported a message, if another one begins after it in the state. */
export function rememberReported(messageId: string, context: ClaudeContext): void {
  context.notes.remember({ repeatedMessage: hasEarlierBlocks(messageId, context) ? messageId : undefined })
}

function hasEarlierBlocks(messageId: string, context: ClaudeContext): boolean {
  const last = lastMessageOf(MAIN, context)
  if (last === undefined || last === messageId || !context.state.hasBlocks(MAIN, messageId)) return false
  const [first] = context.state.blocksOfMessage(MAIN, messageId)
  const [firstOfLast] = context.state.blocksOfMessage(MAIN, last)
  for (const block of context.state.blocksFromEnd(MAIN))
    if (block === first || block === firstOfLast) return block !== first
  return true
}

/** Ends the stream of a message. Its later events only repeat earlier ones. */
export function stopStream(ref: MessageRef, context: ClaudeContext): void {
  if (isStopped(ref, context)) return
  const { messageId } = ref
  context.notes.setEntry('streams', ref.conversationId, {
    messageId,
    blocks: streamedBlocks(ref, context),
    isStopped: true,
  })
}

/** Whether the message's stream repeats a delta. Remembers a new one. */
export function isRepeatedDelta(uuid: string, ref: MessageRef, context: ClaudeContext): boolean {
  const { deltaUuids = new PersistentMap<true>() } = streamOf(ref, context) ?? {}
  if (deltaUuids.get(uuid)) return true
  const uuids = deltaUuids.with(uuid, true)
  if (uuids !== deltaUuids || !streamOf(ref, context)?.deltaUuids)
    updateStream(ref, { deltaUuids: context.notes.open(uuids) }, context)
  return false
}

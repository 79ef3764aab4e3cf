import { omitUndefined } from '../../../../core/json/fields.ts'
import { type ConversationBlock, isModelText, messageIdOf } from '../../../../core/state/block.ts'
import { MAIN } from '../../../../core/state/session.ts'
import type { SessionLookups } from '../../../../reading/lookups.ts'
import { PersistentMap } from '../../../../reading/notes/persistent-map.ts'
import type { ClaudeContext, ClaudeMemory, MessageStream, StreamedBlock } from '../../notes.ts'

/** Names a model message: message ids are unique within a conversation only. */
export interface MessageRef {
  readonly conversationId: string
  readonly messageId: string
}

const NO_BLOCKS: readonly StreamedBlock[] = []

/** Returns the stream of a message, if no other message of its conversation has streamed since. */
function streamOf(
  { conversationId, messageId }: MessageRef,
  notes: ClaudeContext['notes']['values'],
): MessageStream | undefined {
  const stream = notes.streams.get(conversationId)
  return stream?.messageId === messageId ? stream : undefined
}

/** Returns the blocks of a message that have begun to stream, and whose whole block is not there yet. */
export function streamedBlocks(
  ref: MessageRef,
  notes: ClaudeContext['notes']['values'],
): readonly StreamedBlock[] {
  return streamOf(ref, notes)?.blocks ?? NO_BLOCKS
}

/** Sets these blocks of a message. */
export function storeStreamedBlocks(
  ref: MessageRef,
  blocks: readonly StreamedBlock[],
  notes: ClaudeContext['notes'],
): void {
  if (blocks.length !== streamedBlocks(ref, notes.values).length) updateStream(ref, { blocks }, notes)
}

/** Replaces a block of the message that streams, or adds it. */
export function storeStreamedBlock(
  ref: MessageRef,
  block: StreamedBlock,
  notes: ClaudeContext['notes'],
): void {
  const blocks = streamedBlocks(ref, notes.values)
  const others = blocks.filter(({ id }) => id !== block.id)
  updateStream(ref, { blocks: [...others, block] }, notes)
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
  notes: ClaudeContext['notes'],
): void {
  const { messageId, conversationId } = ref
  const known = streamOf(ref, notes.values) ?? { messageId, blocks: NO_BLOCKS }
  notes.setEntry('streams', conversationId, omitUndefined({ ...known, ...changes }))
}

/** Whether the message has ended. A stream may repeat it after a reconnect. */
export function isStopped(ref: MessageRef, memory: ClaudeMemory): boolean {
  const { conversationId, messageId } = ref
  if (conversationId === MAIN && memory.state.isAbandoned(messageId)) return true
  const stream = memory.notes.values.streams.get(conversationId)
  if (!stream || stream.messageId === messageId) return stream?.isStopped === true
  if (lastMessageOf(conversationId, memory.state) === messageId) return false
  return memory.state.hasBlocks(conversationId, messageId)
}

/** Returns the id of the last message of a model in a conversation. */
export function lastMessageOf(conversationId: string, state: SessionLookups): string | undefined {
  for (const block of state.blocksFromEnd(conversationId)) {
    const id = messageIdOf(block)
    if (id !== undefined) return id
  }
  return undefined
}

/** Remembers that main's stream has reported a message, if another one begins after it in the state. */
export function rememberReported(messageId: string, memory: ClaudeMemory): void {
  const repeatedMessage = hasEarlierBlocks(messageId, memory.state) ? messageId : undefined
  if (memory.notes.values.repeatedMessage !== repeatedMessage) memory.notes.remember({ repeatedMessage })
}

function hasEarlierBlocks(messageId: string, state: SessionLookups): boolean {
  const last = lastMessageOf(MAIN, state)
  if (last === undefined || last === messageId || !state.hasBlocks(MAIN, messageId)) return false
  const [first] = state.blocksOfMessage(MAIN, messageId)
  const [firstOfLast] = state.blocksOfMessage(MAIN, last)
  for (const block of state.blocksFromEnd(MAIN))
    if (block === first || block === firstOfLast) return block !== first
  return true
}

/** Ends the stream of a message. Its later events only repeat earlier ones. */
export function stopStream(ref: MessageRef, memory: ClaudeMemory): void {
  if (isStopped(ref, memory)) return
  const { messageId } = ref
  memory.notes.setEntry('streams', ref.conversationId, {
    messageId,
    blocks: streamedBlocks(ref, memory.notes.values),
    isStopped: true,
  })
}

/** Whether the message's stream repeats a delta. Remembers a new one. */
export function isRepeatedDelta(uuid: string, ref: MessageRef, notes: ClaudeContext['notes']): boolean {
  const { deltaUuids = new PersistentMap<true>() } = streamOf(ref, notes.values) ?? {}
  if (deltaUuids.get(uuid)) return true
  const uuids = deltaUuids.with(uuid, true)
  if (uuids !== deltaUuids || !streamOf(ref, notes.values)?.deltaUuids)
    updateStream(ref, { deltaUuids: notes.open(uuids) }, notes)
  return false
}

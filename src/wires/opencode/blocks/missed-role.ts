import { withChanges } from '../../../core/json/fields.ts'
import { asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { type ConversationBlock, isModelText } from '../../../core/state/block.ts'
import type { Memory } from '../../../reading/context.ts'
import type { OpencodeContext } from '../context.ts'
import { findMessage, messageNote, noteMessage, unnamedBlocks } from '../messages.ts'
import type { MessageRef } from '../place.ts'
import { removeBlocks } from '../removal/removal.ts'
import { blocksOfMessage } from '../removal/revert.ts'
import { beginTurn, isOfEarlierTurn } from '../turn.ts'
import { upsertText } from './text.ts'
import { contentParts, refreshUserMessage, showUserMessage } from './user-message.ts'

/** The roles of the part types that only one role has. */
const ROLES: ReadonlyMap<unknown, 'user' | 'assistant'> = new Map([
  ['file', 'user'],
  ['agent', 'user'],
  ['subtask', 'user'],
  ['compaction', 'user'],
  ['reasoning', 'assistant'],
  ['tool', 'assistant'],
  ['step-start', 'assistant'],
  ['step-finish', 'assistant'],
  ['retry', 'assistant'],
])

/**
 * Returns the role that a part shows, although no event has reported the message. The model's texts have the time of
 * their start, and the user's have none. Undefined for a part that has no block.
 */
export function roleOf({ type, synthetic, ignored, time }: JsonObject): 'user' | 'assistant' | undefined {
  if (type !== 'text') return ROLES.get(type)
  return synthetic === true || ignored === true || !isObject(time) ? 'user' : 'assistant'
}

/** Whether earlier parts show that a message is the model's. A program may add a text to it as to a user message. */
export function isModels(ref: MessageRef, memory: Memory<OpencodeContext>): boolean {
  if (messageNote(ref, memory.notes)?.steps) return true
  const isOwn = (block: ConversationBlock) => block.type !== 'assistant_text' || block.timestamp !== undefined
  return memory.state.blocksOfMessage(ref.conversationId, ref.messageId).some(isOwn)
}

/**
 * Corrects a message that has parts but no reported role, because another event proves that it is the user's. Its
 * texts become the prompt.
 */
export function attributeToUser(ref: MessageRef, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  if (!message || message.isReported || message.isUser) return
  const { status } = context.state.turn
  const isOld = isOfEarlierTurn(ref, context.notes.values)
  if (!isOld) beginTurn(ref, undefined, context)
  const texts = takeBlocks(ref, context).filter((block) => block.type === 'assistant_text')
  noteMessage(ref, { isUser: true, model: undefined, steps: undefined }, context)
  const parts = texts.map(({ id, content }) => ({ id, content: { type: 'text', text: content } as const }))
  showUserMessage(ref, parts, context)
  // An old prompt that is shown late starts no turn.
  if (isOld && status !== 'idle' && status !== 'running') context.turn.end({ outcome: status })
}

/** Corrects a message whose text seemed to be the user's, because its own event is the model's. */
export function attributeToModel(ref: MessageRef, context: OpencodeContext): void {
  const message = findMessage(ref, context)
  if (!message?.isUser || message.isReported) return
  const parts = contentParts(ref, context)
  const texts = takeBlocks(ref, context).flatMap((block) => {
    if (block.type !== 'user_message') return []
    if (block.id !== ref.messageId) return { id: block.id, content: asString(block.content) ?? '' }
    return parts.flatMap(({ id, content }) => (content.type === 'text' ? { id, content: content.text } : []))
  })
  noteMessage(ref, { isUser: undefined, blockIds: undefined, timestamp: undefined }, context)
  for (const { id, content } of texts)
    upsertText(
      ref,
      { id, content, type: 'assistant_text', status: 'complete', timestamp: undefined },
      context,
    )
}

/** Removes the blocks of a message, and returns them. */
function takeBlocks(ref: MessageRef, context: OpencodeContext): readonly ConversationBlock[] {
  const blocks = blocksOfMessage(ref, context)
  removeBlocks(ref, blocks, context)
  return blocks
}

/** Shows the blocks of a user message with the time that its own event brings. */
export function showUserAgain(ref: MessageRef, context: OpencodeContext): void {
  const { conversationId } = ref
  const { timestamp } = messageNote(ref, context.notes) ?? {}
  for (const id of unnamedBlocks(ref, context.notes)) {
    const block = context.state.findBlock(conversationId, id)
    if (timestamp !== undefined && (block?.type === 'user_message' || block?.type === 'system'))
      context.upsert(conversationId, withChanges(block, { timestamp }))
  }
  refreshUserMessage(ref, context)
}

/** Shows the texts of the model with the facts that the message's own event brings: the model, or that they sum the conversation up. */
export function showModelAgain(ref: MessageRef, context: OpencodeContext): void {
  const texts = context.state.blocksOfMessage(ref.conversationId, ref.messageId).filter(isModelText)
  for (const { id, type, content, status, timestamp } of texts)
    upsertText(ref, { id, type, content, status, timestamp }, context)
}

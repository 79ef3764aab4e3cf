import { withChanges } from '../../../core/json/fields.ts'
import { asObject, asString, isObject } from '../../../core/json/values.ts'
import { type ConversationBlock, messageIdOf } from '../../../core/state/block.ts'
import { isRewindMark } from '../../../core/state/rewind.ts'
import { type Branch, MAIN } from '../../../core/state/session.ts'
import { abandonBlocks } from '../../kit/abandon.ts'
import type { OpencodeContext } from '../context.ts'
import { wasRemoved } from '../messages.ts'
import { type EventPlace, type MessageRef, noteSession, sessionNote } from '../place.ts'
import { blocksOfMessage, blocksOfPart } from './message-blocks.ts'

/**
 * Follows the place to which the person has reverted main. The messages from there on leave the conversation as a
 * branch. The person may restore them until the next prompt: OpenCode removes them then, and names no revert any
 * more.
 */
export function updateRevert(place: EventPlace, revert: unknown, context: OpencodeContext): void {
  const { sessionId } = place
  const { revertMessage: before } = sessionNote(sessionId, context)
  const target = isObject(revert) ? asString(revert.messageID) : undefined
  // An event of a revert that the next prompt has confirmed is a repeated one.
  if (target !== undefined && isConfirmed(sessionId, target, context)) return
  if (before !== undefined && !wasRemoved(sessionId, before, context)) {
    if (before === target && revertOf(markId(before), context)?.partID === asObject(revert).partID) return
    restoreBranch(markId(before), context)
  }
  noteSession(sessionId, { revertMessage: target }, context)
  if (target !== undefined) abandonFrom({ sessionId, messageId: target }, asObject(revert), context)
}

function isConfirmed(sessionId: string, messageId: string, context: OpencodeContext): boolean {
  if (wasRemoved(sessionId, messageId, context)) return true
  const branch = branchOfMessage({ sessionId, conversationId: MAIN, messageId }, context)
  return branch !== undefined && !revertOf(branch.id, context)
}

/** Returns the id of the block that marks a revert, and of the branch. */
function markId(messageId: string): string {
  return `rewind:${messageId}`
}

/** Returns what OpenCode says of the revert that a mark shows, while the person can restore the messages. */
function revertOf(branchId: string, context: OpencodeContext) {
  const mark = context.state.findBlock(MAIN, branchId)
  return mark && revertInMark(mark)
}

function revertInMark(mark: ConversationBlock) {
  const { revert } = isRewindMark(mark) ? asObject(mark.data) : {}
  return isObject(revert) ? revert : undefined
}

/** Returns the message that a block marks as the target of a revert. Undefined if the person cannot restore the messages any more. */
export function revertMessageIn(block: ConversationBlock): string | undefined {
  return asString(revertInMark(block)?.messageID)
}

/** The blocks return in their order, and then the mark takes the branch along. */
function restoreBranch(branchId: string, context: OpencodeContext): void {
  const { blocks = [] } = context.state.branches.find(({ id }) => id === branchId) ?? {}
  for (const block of blocks) context.emit({ type: 'block:upsert', conversationId: MAIN, block })
  context.emit({ type: 'block:removed', conversationId: MAIN, blockId: branchId })
}

function abandonFrom(
  { sessionId, messageId }: Pick<MessageRef, 'sessionId' | 'messageId'>,
  revert: Readonly<Record<string, unknown>>,
  context: OpencodeContext,
): void {
  const ref = { sessionId, conversationId: MAIN, messageId }
  const blocks = context.state.blocksOf(MAIN)
  const ofPart = blocksOfPart(ref, asString(revert.partID) ?? '', context)
  const [first] = ofPart.length > 0 ? ofPart : blocksOfMessage(ref, context)
  const blockIds = first ? blocks.slice(blocks.indexOf(first)).map(({ id }) => id) : []
  const data = { messageId, blockIds, revert }
  abandonBlocks({ id: markId(messageId), blockIds, data }, context)
}

/** Returns the branch that has the message. */
export function branchOfMessage(
  { conversationId, messageId }: MessageRef,
  context: OpencodeContext,
): Branch | undefined {
  if (conversationId !== MAIN || !context.state.isAbandoned(messageId)) return undefined
  const isOwn = (block: ConversationBlock) => block.id === messageId || messageIdOf(block) === messageId
  return context.state.branches.find(({ blocks }) => blocks.some(isOwn))
}

/** Notes that OpenCode has removed messages of a branch: the person cannot restore them. */
export function confirmRevert(branchId: string, context: OpencodeContext): void {
  const mark = context.state.findBlock(MAIN, branchId)
  if (mark?.type !== 'system' || !revertInMark(mark)) return
  const { revert, ...data } = asObject(mark.data)
  context.upsert(MAIN, withChanges(mark, { data }))
}

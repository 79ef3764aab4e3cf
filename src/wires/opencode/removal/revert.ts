import { withChanges } from '../../../core/json/fields.ts'
import { asObject, asString, isObject } from '../../../core/json/values.ts'
import { type ConversationBlock, isRewindMark, messageIdOf } from '../../../core/state/block.ts'
import { type Branch, MAIN } from '../../../core/state/session.ts'
import { errorBlockId } from '../../../programs/opencode/tool-result.ts'
import type { Memory, SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { abandonBlocks } from '../../kit/abandon.ts'
import { callOfPart } from '../blocks/calls.ts'
import type { OpencodeContext } from '../context.ts'
import { unnamedBlocks, wasRemoved } from '../messages.ts'
import { type EventPlace, type MessageRef, noteSession, sessionNote } from '../place.ts'

/**
 * Follows the place to which the person has reverted main. The messages from there on leave the conversation as a
 * branch. The person may restore them until the next prompt: OpenCode removes them then, and names no revert any
 * more.
 */
export function updateRevert(place: EventPlace, revert: unknown, context: OpencodeContext): void {
  const { sessionId } = place
  const { revertMessage: before } = sessionNote(sessionId, context.notes.values)
  const target = isObject(revert) ? asString(revert.messageID) : undefined
  // An event of a revert that the next prompt has confirmed is a repeated one.
  if (target !== undefined && isConfirmed(sessionId, target, context)) return
  if (before !== undefined && !wasRemoved(sessionId, before, context.notes)) {
    if (before === target && revertOf(markId(before), context.state)?.partID === asObject(revert).partID)
      return
    restoreBranch(markId(before), context)
  }
  noteSession(sessionId, { revertMessage: target }, context.notes)
  if (target !== undefined) abandonFrom({ sessionId, messageId: target }, asObject(revert), context)
}

function isConfirmed(sessionId: string, messageId: string, memory: Memory<OpencodeContext>): boolean {
  if (wasRemoved(sessionId, messageId, memory.notes)) return true
  const branch = branchOfMessage({ sessionId, conversationId: MAIN, messageId }, memory.state)
  return branch !== undefined && !revertOf(branch.id, memory.state)
}

/** Returns the id of the block that marks a revert, and of the branch. */
function markId(messageId: string): string {
  return `rewind:${messageId}`
}

/** Returns what OpenCode says of the revert that a mark shows, while the person can restore the messages. */
function revertOf(branchId: string, state: SessionLookups) {
  const mark = state.findBlock(MAIN, branchId)
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
function restoreBranch(branchId: string, output: SessionOutput): void {
  const { blocks = [] } = output.state.branches.find(({ id }) => id === branchId) ?? {}
  for (const block of blocks) output.emit({ type: 'block:upsert', conversationId: MAIN, block })
  output.emit({ type: 'block:removed', conversationId: MAIN, blockId: branchId })
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
  state: SessionLookups,
): Branch | undefined {
  if (conversationId !== MAIN || !state.isAbandoned(messageId)) return undefined
  const isOwn = (block: ConversationBlock) => block.id === messageId || messageIdOf(block) === messageId
  return state.branches.find(({ blocks }) => blocks.some(isOwn))
}

/** Notes that OpenCode has removed messages of a branch: the person cannot restore them. */
export function confirmRevert(branchId: string, output: SessionOutput): void {
  const mark = output.state.findBlock(MAIN, branchId)
  if (mark?.type !== 'system' || !revertInMark(mark)) return
  const { revert, ...data } = asObject(mark.data)
  output.upsert(MAIN, withChanges(mark, { data }))
}

/** Returns the blocks of a message in their order, with the results and requests of its calls. */
export function blocksOfMessage(
  ref: MessageRef,
  memory: Memory<OpencodeContext>,
  blocks: readonly ConversationBlock[] = memory.state.blocksOf(ref.conversationId),
): readonly ConversationBlock[] {
  const { messageId } = ref
  const own = new Set([messageId, errorBlockId(messageId), ...unnamedBlocks(ref, memory.notes)])
  const calls = new Set<string>()
  return blocks.filter((block) => {
    const toolUseId = callIdIn(block)
    if (messageIdOf(block) !== messageId && !own.has(block.id)) return calls.has(toolUseId ?? '')
    if (toolUseId !== undefined) calls.add(toolUseId)
    return true
  })
}

/** Returns the blocks of a part: its own one, or those of its call. */
export function blocksOfPart(
  ref: MessageRef,
  partId: string,
  memory: Memory<OpencodeContext>,
): readonly ConversationBlock[] {
  const { conversationId } = ref
  const call = callOfPart(ref, partId, memory)
  if (call) return memory.state.blocksOf(conversationId).filter((block) => callIdIn(block) === call.toolUseId)
  const own = memory.state.findBlock(conversationId, partId)
  return own ? [own] : []
}

function callIdIn(block: ConversationBlock): string | undefined {
  return 'toolUseId' in block ? block.toolUseId : undefined
}

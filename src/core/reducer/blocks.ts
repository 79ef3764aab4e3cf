import type { EventOf } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { type ConversationBlock, isSubagentBlockId } from '../state/block.ts'
import { MAIN } from '../state/session.ts'
import type { Batch } from './batch.ts'
import { addBranch, removeBranch } from './branches.ts'
import { addDelta, copyBlock, hasRoom, takesDeltas } from './fast.ts'
import { closeBlock } from './finalize.ts'
import type { ReducerIssueCode } from './issue.ts'
import { removeAnnounced, upsertSubagent } from './subagents/spawn.ts'
import { startTurnByBlock } from './turn.ts'

/** Creates or replaces a block. The block of a subagent counts as the spawn that it describes. */
export function upsertBlock(batch: Batch, event: EventOf<'block:upsert'>): ReducerIssueCode | undefined {
  const { block } = event
  const conversationId = event.conversationId ?? block.conversationId ?? MAIN
  if (block.type === 'subagent') return upsertSubagent(batch, block, conversationId)
  if (isSubagentBlockId(block.id)) return 'reserved-id'
  const thread = batch.getOrCreateThread(conversationId)
  const { id, blocks } = thread
  const found = blocks.find(block.id)
  const stored = copyBlock(block, id)
  if (stored.status !== 'pending') closeBlock(batch, thread, stored.id)
  if (!found) {
    batch.appendBlock(thread, stored)
    if (id === MAIN) startTurnByBlock(stored, batch, event.timestamp)
    return undefined
  }
  const { status } = found.item
  if (stored.status === 'pending' && status !== 'pending') return 'stale-upsert'
  if (stored.status !== status || !isEqual(found.item, stored)) blocks.replace(found.index, stored)
  return undefined
}

/** Appends text to a block. A final block takes it too, so that an early idle loses no text. */
export function appendDelta(batch: Batch, event: EventOf<'block:delta'>): ReducerIssueCode | undefined {
  if (event.delta === '') return undefined
  const blocks = batch.thread(event.conversationId ?? MAIN)?.blocks
  const found = blocks?.find(event.blockId)
  if (!blocks || !found) return 'delta-before-block'
  const { index, item } = found
  if (!takesDeltas(item)) return 'delta-without-text'
  if (!hasRoom(item, event.delta)) return 'delta-too-long'
  addDelta(blocks.edit({ index, item }), event.delta)
  return item.status === 'pending' ? undefined : 'delta-after-final'
}

/**
 * Removes a block. A subagent outlives its block, unless it was only announced. A branch leaves with its mark: the
 * person has returned to it.
 */
export function removeBlock(
  batch: Batch,
  { conversationId = MAIN, blockId }: EventOf<'block:removed'>,
): undefined {
  takeBlock(batch, conversationId, blockId)
  if (conversationId === MAIN) removeBranch(batch.branches, blockId)
}

/** Moves blocks of main to a branch of their own. Several events with one id fill one branch. */
export function abandonBranch(
  batch: Batch,
  { conversationId = MAIN, branchId, blockIds }: EventOf<'branch:abandoned'>,
): undefined {
  if (conversationId !== MAIN) return
  const blocks = blockIds.flatMap((blockId) => takeBlock(batch, MAIN, blockId) ?? [])
  if (blocks.length > 0) addBranch(batch.branches, { id: branchId, blocks })
}

function takeBlock(batch: Batch, conversationId: string, blockId: string): ConversationBlock | undefined {
  const thread = batch.thread(conversationId)
  const found = thread?.blocks.find(blockId)
  if (!thread || !found) return undefined
  thread.blocks.remove(found.index)
  closeBlock(batch, thread, blockId)
  if (found.item.type === 'subagent') removeAnnounced(batch, found.item.toolUseId)
  return found.item
}

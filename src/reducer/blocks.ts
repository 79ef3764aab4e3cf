import type { EventOf, IncomingBlock } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { type ConversationBlock, isSubagentBlockId } from '../state/block.ts'
import { MAIN } from '../state/session.ts'
import type { Batch } from './batch.ts'
import type { ReducerIssueCode } from './issue.ts'
import type { Mutable } from './owned-list.ts'
import { removeAnnounced, upsertSubagent } from './subagents/spawn.ts'
import { startTurnOf } from './turn.ts'

/** A block that takes deltas. */
export type TextBlock = Extract<ConversationBlock, { readonly content: unknown }> & {
  readonly content: string
}

/**
 * The greatest length of a text after a delta, in UTF-16 units. V8 throws for a string longer than 2 ** 29 - 24 units, and an error
 * would lose the other events of the batch. The text has to stay below that limit as JSON too.
 */
const MAX_CONTENT = 2 ** 28

/** Creates or replaces a block. The block of a subagent counts as the spawn that it describes. */
export function upsertBlock(batch: Batch, event: EventOf<'block:upsert'>): ReducerIssueCode | undefined {
  const { block } = event
  const conversationId = event.conversationId ?? block.conversationId ?? MAIN
  if (block.type === 'subagent') return upsertSubagent(batch, block, conversationId)
  if (isSubagentBlockId(block.id)) return 'reserved-id'
  const { id, blocks } = batch.getOrCreateThread(conversationId)
  const stored: ConversationBlock = omitUndefined(withConversation(block, id))
  const found = blocks.find(block.id)
  if (!found) {
    blocks.append(stored)
    if (id === MAIN) startTurnOf(stored, batch, event.timestamp)
  } else if (stored.status === 'pending' && found.item.status !== 'pending') return 'stale-upsert'
  else if (!isEqual(found.item, stored)) blocks.replace(found.index, stored)
  return undefined
}

/** Appends text to a block. A final block takes it too, so that an early idle loses no text. */
export function appendDelta(batch: Batch, event: EventOf<'block:delta'>): ReducerIssueCode | undefined {
  if (event.delta === '') return undefined
  const blocks = batch.thread(event.conversationId ?? MAIN)?.blocks
  const found = blocks?.find(event.blockId)
  if (!blocks || !found) return 'delta-before-block'
  const { index, item } = found
  if (!hasText(item)) return 'delta-without-text'
  if (!hasRoom(item, event.delta)) return 'delta-too-long'
  blocks.edit({ index, item }).content += event.delta
  return item.status === 'pending' ? undefined : 'delta-after-final'
}

/** Removes a block. A subagent outlives its block, unless it was only announced. */
export function removeBlock(batch: Batch, event: EventOf<'block:removed'>): undefined {
  const thread = batch.thread(event.conversationId ?? MAIN)
  const found = thread?.blocks.find(event.blockId)
  if (!thread || !found) return
  thread.blocks.remove(found.index)
  thread.finalizedUpTo = Math.min(thread.finalizedUpTo, found.index)
  if (found.item.type === 'subagent') removeAnnounced(batch, found.item.toolUseId)
}

/** Whether the block takes deltas. */
export function hasText(block: ConversationBlock): block is TextBlock {
  return 'content' in block && typeof block.content === 'string'
}

/** Whether the text with the delta is short enough. */
export function hasRoom(block: TextBlock, delta: string): boolean {
  return block.content.length + delta.length <= MAX_CONTENT
}

// `{ key, ...x }`, with the new field first: V8 gives each copy with a field after the spread a hidden class of its own, which
// takes five times as long.
function withConversation(
  block: Exclude<IncomingBlock, { readonly type: 'subagent' }>,
  conversationId: string,
): ConversationBlock {
  const copy: Mutable<ConversationBlock> = { conversationId, ...block }
  copy.conversationId = conversationId
  return copy
}

import type { EventOf, IncomingBlock } from '../events/event.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { type ConversationBlock, isSubagentBlockId } from '../state/block.ts'
import { MAIN } from '../state/session.ts'
import type { Batch } from './batch.ts'
import type { ReducerIssueCode } from './issue.ts'
import type { Mutable } from './owned-list.ts'
import { forgetAnnounced, upsertSubagent } from './subagents.ts'

type TextBlock = Extract<ConversationBlock, { readonly content: unknown }> & { readonly content: string }

/**
 * How long deltas may make a text, in UTF-16 units. Engines throw where one gets longer than they can hold, V8 beyond 2 ** 29 - 24,
 * which the text has to fit into as JSON, too; and what throws loses the other events of its batch.
 */
export const MAX_CONTENT: number = 2 ** 28

/** Creates or replaces a block; a subagent's block is read as the spawn that it describes. */
export function upsertBlock(batch: Batch, event: EventOf<'block:upsert'>): ReducerIssueCode | undefined {
  const { block } = event
  const conversationId = event.conversationId ?? block.conversationId ?? MAIN
  if (block.type === 'subagent') return upsertSubagent(batch, block, conversationId)
  if (isSubagentBlockId(block.id)) return 'reserved-id'
  const { id, blocks } = batch.threadOrCreated(conversationId)
  const stored: ConversationBlock = omitUndefined(withConversation(block, id))
  const found = blocks.find(block.id)
  if (!found) blocks.append(stored)
  else if (stored.status === 'pending' && found.item.status !== 'pending') return 'stale-upsert'
  else if (!isEqual(found.item, stored)) blocks.replace(found.at, stored)
  return undefined
}

/** Appends text. A finalised block still takes it: an early idle must not lose text. */
export function appendDelta(batch: Batch, event: EventOf<'block:delta'>): ReducerIssueCode | undefined {
  if (event.delta === '') return undefined
  const blocks = batch.thread(event.conversationId ?? MAIN)?.blocks
  const found = blocks?.find(event.blockId)
  if (!blocks || !found) return 'delta-before-block'
  const { at, item } = found
  if (!hasText(item)) return 'delta-without-text'
  if (item.content.length + event.delta.length > MAX_CONTENT) return 'delta-too-long'
  blocks.edit({ at, item }).content += event.delta
  return item.status === 'pending' ? undefined : 'delta-after-final'
}

/** Takes a block back. A subagent outlives its block, unless it was only announced. */
export function removeBlock(batch: Batch, event: EventOf<'block:removed'>): undefined {
  const thread = batch.thread(event.conversationId ?? MAIN)
  const found = thread?.blocks.find(event.blockId)
  if (!thread || !found) return
  thread.blocks.remove(found.at)
  thread.settled = Math.min(thread.settled, found.at)
  if (found.item.type === 'subagent') forgetAnnounced(batch, found.item.toolUseId)
}

function hasText(block: ConversationBlock): block is TextBlock {
  return 'content' in block && typeof block.content === 'string'
}

/** The new field stands first: V8 gives each copy with a field behind it a hidden class of its own, at five times the price. */
function withConversation(
  block: Exclude<IncomingBlock, { readonly type: 'subagent' }>,
  conversationId: string,
): ConversationBlock {
  const copy: Mutable<ConversationBlock> = { conversationId, ...block }
  copy.conversationId = conversationId
  return copy
}

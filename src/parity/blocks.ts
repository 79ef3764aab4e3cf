import type { ConversationBlock } from '../state/block.ts'
import { isEqual } from '../state/equal.ts'
import { type ConversationThread, MAIN } from '../state/session.ts'
import type { Context, Conversation } from './comparison.ts'
import type { Pair, Side } from './difference.ts'
import { compareFields } from './fields.ts'
import { compareOrder } from './order.ts'
import { isModelText, isPending, projectionOf } from './projection.ts'

/** The blocks of a conversation in their order, by what makes one the same on both sides. */
export type KeyedBlocks = ReadonlyMap<string, ConversationBlock>

/** Compares the blocks of a conversation. */
export function compareBlocks(conversation: Conversation, context: Context): void {
  const live = keyed(conversation.threads.live)
  const stored = keyed(conversation.threads.stored)
  for (const [key, block] of live) {
    const other = stored.get(key)
    if (other) compareBlock({ live: block, stored: other }, conversation, context)
    else missBlock({ block, side: 'live' }, conversation, context)
  }
  for (const [key, block] of stored)
    if (!live.has(key)) missBlock({ block, side: 'stored' }, conversation, context)
  compareOrder(conversation.id, { live, stored }, context)
}

/** A call is known by its own id: that of its block counts the blocks before it. */
function keyed({ blocks }: ConversationThread): KeyedBlocks {
  return new Map(
    blocks.map((block) => [
      block.type === 'tool_use' ? `call ${block.toolUseId}` : `block ${block.id}`,
      block,
    ]),
  )
}

function compareBlock(
  pair: Pair<ConversationBlock>,
  conversation: Conversation,
  { comparison }: Context,
): void {
  const { live, stored } = pair
  if (isPending(live) && isPending(stored)) {
    if (!isEqual(live, stored)) comparison.project('unfinished', 'live')
    return
  }
  const isMoved = live.id !== stored.id && isUnforwarded(conversation)
  if (isMoved) comparison.project('tool-use-place', 'live')
  compareFields(
    { kind: 'block', conversationId: conversation.id, id: stored.id },
    pair,
    {
      ignored: ['conversationId', ...(isMoved ? ['id'] : [])],
      maybeUnknown: ['timestamp', 'model', 'durationMs'],
    },
    comparison,
  )
}

/** A stream that does not forward a subagent's text does not tell which block of its message a call is. */
function isUnforwarded({ id, threads }: Conversation): boolean {
  return id !== MAIN && !threads.live.blocks.some(isModelText)
}

function missBlock(
  { block, side }: { readonly block: ConversationBlock; readonly side: Side },
  { id: conversationId, threads, parentIds }: Conversation,
  { program, version, comparison }: Context,
): void {
  const other = side === 'live' ? threads.stored : threads.live
  const lone = { block, side, isMain: conversationId === MAIN, version, other, parentIds }
  const kind = projectionOf(lone, program)
  if (kind) return comparison.project(kind, side)
  comparison.differ({ kind: 'missing-block', conversationId, id: block.id, [side]: block })
}

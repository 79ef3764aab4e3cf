import type { ConversationBlock } from '../state/block.ts'
import type { ConversationThread } from '../state/session.ts'

/** The blocks of a conversation in their order, by what makes one the same on both sides. */
export type KeyedBlocks = ReadonlyMap<string, ConversationBlock>

/** A call is known by its own id: that of its block counts the blocks before it. Some models use an id again. */
export function keyed({ blocks }: ConversationThread): KeyedBlocks {
  const keys = new Map<string, ConversationBlock>()
  const times = new Map<string, number>()
  for (const block of blocks) {
    if (block.type !== 'tool_use') {
      keys.set(`block ${block.id}`, block)
      continue
    }
    const time = times.get(block.toolUseId) ?? 0
    times.set(block.toolUseId, time + 1)
    keys.set(`call ${time} ${block.toolUseId}`, block)
  }
  return keys
}

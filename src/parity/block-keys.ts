import type { ConversationBlock } from '../state/block.ts'
import type { ConversationThread } from '../state/session.ts'

/** The blocks of a conversation in order, by a key that is the same on both sides. */
export type BlocksByKey = ReadonlyMap<string, ConversationBlock>

/**
 * Keys a tool call by its `toolUseId`, as its block id may depend on the blocks before it. Some models use a call id twice, so the key
 * counts repetitions.
 */
export function blocksByKey({ blocks }: ConversationThread): BlocksByKey {
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

import { textOf } from '../../../core/selectors/text.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import type { ConversationThread } from '../../../core/state/session.ts'

/** The blocks of a conversation in order, by a key that is the same on both sides. */
export type BlocksByKey = ReadonlyMap<string, ConversationBlock>

/**
 * Keys a tool call by its `toolUseId`, as its block id may depend on the blocks before it. Some models use a call id
 * twice, so the key counts repetitions. A request has the key of its call too, because a file does not have the
 * request's own id. A call may need several permissions. A file shows the last one alone, so those are counted from
 * the end.
 */
export function blocksByKey({ blocks }: ConversationThread): BlocksByKey {
  const keys = new Map<string, ConversationBlock>()
  const calls = new Map<string, number>()
  const left = requestCounts(blocks)
  for (const block of blocks) {
    const { toolUseId } = 'toolUseId' in block ? block : {}
    if (block.type === 'tool_use') {
      const time = calls.get(block.toolUseId) ?? 0
      calls.set(block.toolUseId, time + 1)
      keys.set(`call ${time} ${toolUseId}`, block)
    } else if (block.type === 'request' && toolUseId !== undefined) {
      const later = (left.get(toolUseId) ?? 0) - 1
      left.set(toolUseId, later)
      keys.set(`request ${later} ${toolUseId}`, block)
    } else keys.set(`block ${block.id}`, block)
  }
  return keys
}

/** Returns a key of a block that it has in any conversation: its call, or its words. */
export function workKey(block: ConversationBlock): string {
  if ('toolUseId' in block) return `${block.type} ${block.toolUseId}`
  return 'content' in block ? `${block.type} ${textOf(block)}` : `${block.type} ${block.id}`
}

/** Returns the number of requests of each call. */
function requestCounts(blocks: readonly ConversationBlock[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const block of blocks)
    if (block.type === 'request' && block.toolUseId !== undefined)
      counts.set(block.toolUseId, (counts.get(block.toolUseId) ?? 0) + 1)
  return counts
}

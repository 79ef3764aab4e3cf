import type { ConversationBlock } from '../state/block.ts'
import type { ConversationThread } from '../state/session.ts'

/** The blocks of a conversation in order, by a key that is the same on both sides. */
export type BlocksByKey = ReadonlyMap<string, ConversationBlock>

/**
 * Keys a tool call by its `toolUseId`, as its block id may depend on the blocks before it. A request has the id of its call too, because a
 * file does not have the request's own id. Some models use a call id twice, so the key counts repetitions.
 */
export function blocksByKey({ blocks }: ConversationThread): BlocksByKey {
  const keys = new Map<string, ConversationBlock>()
  const times = new Map<string, number>()
  for (const block of blocks) {
    const ofCall = callKey(block)
    if (ofCall === undefined) {
      keys.set(`block ${block.id}`, block)
      continue
    }
    const time = times.get(ofCall) ?? 0
    times.set(ofCall, time + 1)
    keys.set(`${ofCall} ${time}`, block)
  }
  return keys
}

function callKey(block: ConversationBlock): string | undefined {
  if (block.type === 'tool_use') return `call ${block.toolUseId}`
  return block.type === 'request' && block.toolUseId !== undefined ? `request ${block.toolUseId}` : undefined
}

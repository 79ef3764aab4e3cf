import type { BlockOf, ConversationBlock } from '../state/block.ts'
import type { ConversationThread } from '../state/session.ts'

/** The blocks of a conversation in order, by a key that is the same on both sides. */
export type BlocksByKey = ReadonlyMap<string, ConversationBlock>

/**
 * Keys a tool call by its `toolUseId`, as its block id may depend on the blocks before it. Some models use a call id twice, so the key
 * counts repetitions. Keys a request that its call shows too by that call, as files have no id of the request.
 */
export function blocksByKey({ blocks }: ConversationThread): BlocksByKey {
  const keys = new Map<string, ConversationBlock>()
  const times = new Map<string, number>()
  for (const block of blocks) {
    const name = nameOf(block)
    if (name === undefined) {
      keys.set(`block ${block.id}`, block)
      continue
    }
    const time = times.get(name) ?? 0
    times.set(name, time + 1)
    keys.set(`${time} ${name}`, block)
  }
  return keys
}

function nameOf(block: ConversationBlock): string | undefined {
  if (block.type === 'tool_use') return `call ${block.toolUseId}`
  return isTracedRequest(block) ? `${block.kind} ${block.toolUseId}` : undefined
}

/** Whether the block is a request that its call shows too: a question, or a permission that the person refused. */
function isTracedRequest(block: ConversationBlock): block is BlockOf<'request'> {
  if (block.type !== 'request' || block.toolUseId === undefined) return false
  return block.kind === 'question' || block.denied === true
}

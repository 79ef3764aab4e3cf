import type { BlockOf, ConversationBlock } from '../../../state/block.ts'

/** The calls of a conversation, and their results, by the `toolUseId`. Only the first of several with one id counts. */
export interface Pairs {
  readonly call: (block: BlockOf<'tool_use' | 'tool_result'>) => BlockOf<'tool_use'> | undefined
  readonly result: (block: BlockOf<'tool_use' | 'tool_result'>) => BlockOf<'tool_result'> | undefined
}

/** Returns the calls and results of a whole conversation. */
export function allPairs(blocks: readonly ConversationBlock[]): Pairs {
  const calls = new Map<string, BlockOf<'tool_use'>>()
  const results = new Map<string, BlockOf<'tool_result'>>()
  for (const block of blocks) {
    if (block.type === 'tool_use' && !calls.has(block.toolUseId)) calls.set(block.toolUseId, block)
    else if (block.type === 'tool_result' && !results.has(block.toolUseId))
      results.set(block.toolUseId, block)
  }
  return { call: ({ toolUseId }) => calls.get(toolUseId), result: ({ toolUseId }) => results.get(toolUseId) }
}

/** Returns the same for a few look-ups: each searches the conversation. */
export function searchedPairs(blocks: readonly ConversationBlock[]): Pairs {
  return {
    call: ({ toolUseId }) => {
      for (const block of blocks) if (block.type === 'tool_use' && block.toolUseId === toolUseId) return block
      return undefined
    },
    result: ({ toolUseId }) => {
      for (const block of blocks)
        if (block.type === 'tool_result' && block.toolUseId === toolUseId) return block
      return undefined
    },
  }
}

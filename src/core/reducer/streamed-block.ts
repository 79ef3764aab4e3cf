import type { BlockOf, ConversationBlock } from '../state/block.ts'

/** A block that takes deltas: one with a text, or a call whose input streams. */
type StreamedBlock =
  | (Extract<ConversationBlock, { readonly content: unknown }> & { readonly content: string })
  | (BlockOf<'tool_use' | 'subagent'> & { readonly inputText: string })

/**
 * The greatest length of a text after a delta, in UTF-16 units. V8 throws for a string longer than 2 ** 29 - 24
 * units, and an error would lose the other events of the batch. The text has to stay below that limit as JSON too.
 */
const MAX_CONTENT = 2 ** 28

/** Whether the block takes deltas. */
export function takesDeltas(block: ConversationBlock): block is StreamedBlock {
  if (block.type === 'tool_use' || block.type === 'subagent') return block.inputText !== undefined
  return 'content' in block && typeof block.content === 'string'
}

/** Whether the text with the delta is short enough. */
export function hasRoom(block: StreamedBlock, delta: string): boolean {
  const { length } = 'content' in block ? block.content : block.inputText
  return length + delta.length <= MAX_CONTENT
}

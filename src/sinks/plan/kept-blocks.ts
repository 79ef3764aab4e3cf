import { type ConversationBlock, isCall } from '../../core/state/block.ts'

// A program keeps some messages behind its compaction: its model reads the summary, and then them. No two programs
// mark them in the same way. So a written session has them behind the summary, once.

/** Returns the blocks with those that a compaction keeps behind its summary. */
export function withKeptBehind(blocks: readonly ConversationBlock[]): readonly ConversationBlock[] {
  const marks = blocks.filter((block) => block.type === 'system' && block.keptBlockIds !== undefined)
  return marks.reduce(moveKept, blocks)
}

function moveKept(
  blocks: readonly ConversationBlock[],
  mark: ConversationBlock,
): readonly ConversationBlock[] {
  const at = blocks.indexOf(mark)
  const ids = new Set(mark.type === 'system' ? mark.keptBlockIds : undefined)
  const earlier = blocks.slice(0, at)
  const next = blocks[at + 1]
  const hasSummary = next?.type === 'user_message' && next.origin === 'summary'
  // Without a summary, nothing stands for the earlier blocks.
  if (!hasSummary) return blocks
  for (const block of earlier) if (isCall(block) && ids.has(block.id)) ids.add(block.toolUseId)
  const isKept = (block: ConversationBlock) =>
    ids.has(block.id) || (block.type === 'tool_result' && ids.has(block.toolUseId))
  return [
    ...earlier.filter((block) => !isKept(block)),
    mark,
    next,
    ...earlier.filter(isKept),
    ...blocks.slice(at + 2),
  ]
}

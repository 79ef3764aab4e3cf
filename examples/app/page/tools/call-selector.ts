import { type ConversationBlock, findConversation, type ToolUseBlock } from 'agentfold'
import type { Selector } from 'agentfold/react'

type Blocks = readonly ConversationBlock[]

/** Selects the call with that id. A call nearly always keeps its index, so the selector tries the last index first. */
export function callSelector(
  conversationId: string,
  toolUseId: string,
): Selector<ToolUseBlock['id'] | undefined> {
  let at: number | undefined
  return (state) => {
    const blocks = findConversation(state, conversationId)?.blocks ?? []
    if (at === undefined || !isCall(blocks[at], toolUseId)) at = callsIn(blocks).get(toolUseId)
    return at === undefined ? undefined : blocks[at]?.id
  }
}

function isCall(block: ConversationBlock | undefined, toolUseId: string): boolean {
  return block?.type === 'tool_use' && block.toolUseId === toolUseId
}

/** Returns the indices of a list's calls. All results share one index. */
function callsIn(blocks: Blocks): ReadonlyMap<string, number> {
  const existing = calls.get(blocks)
  if (existing) return existing
  const created = new Map<string, number>()
  for (const [at, block] of blocks.entries()) if (block.type === 'tool_use') created.set(block.toolUseId, at)
  calls.set(blocks, created)
  return created
}

const calls = new WeakMap<Blocks, ReadonlyMap<string, number>>()

import { type ConversationBlock, findConversation, type ToolUseBlock } from 'agentfold'
import type { Selector } from 'agentfold/react'

type Blocks = readonly ConversationBlock[]

/** Selects the call with that id. It stays where it was, nearly always, and is then not searched for. */
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

/** The places of a list's calls, found once for all results that ask. */
function callsIn(blocks: Blocks): ReadonlyMap<string, number> {
  const known = calls.get(blocks)
  if (known) return known
  const made = new Map<string, number>()
  for (const [at, block] of blocks.entries()) if (block.type === 'tool_use') made.set(block.toolUseId, at)
  calls.set(blocks, made)
  return made
}

const calls = new WeakMap<Blocks, ReadonlyMap<string, number>>()

import { findConversation } from '../../core/selectors/find.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'

/** Returns the state with only the last blocks of one conversation, the calls of their results, and the agents that they start. */
export function withLastBlocks(
  state: SessionConversationState,
  conversationId: string,
  count: number,
): SessionConversationState {
  const all = findConversation(state, conversationId)?.blocks ?? []
  const last = all.slice(-count)
  const results = new Set(last.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : [])))
  const before = all.slice(0, -count)
  const calls = before.filter((block) => block.type === 'tool_use' && results.has(block.toolUseId))
  const blocks = [...calls, ...last]
  const subagents = withoutAgents(state, before).map((each) =>
    each.toolUseId === conversationId ? { ...each, blocks } : each,
  )
  return { ...state, ...(conversationId === MAIN && { blocks }), subagents }
}

/** Returns the agents without those that the blocks start, and without the agents below them. */
function withoutAgents(
  { subagents }: SessionConversationState,
  blocks: readonly ConversationBlock[],
): SessionConversationState['subagents'] {
  const gone = new Set(blocks.flatMap((block) => (block.type === 'subagent' ? [block.toolUseId] : [])))
  // A Set also visits what the loop adds.
  for (const parent of gone)
    for (const { toolUseId, parentConversationId } of subagents)
      if (parentConversationId === parent) gone.add(toolUseId)
  return subagents.filter(({ toolUseId }) => !gone.has(toolUseId))
}

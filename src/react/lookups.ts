import { memoizeWeakly } from '../selectors/memoize.ts'
import { type AgentNode, buildSessionTree } from '../selectors/tree.ts'
import type { ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState, type SubagentState } from '../state/session.ts'

/** Returns the session's agents as a tree. */
export const sessionTreeOf: (state: SessionConversationState) => AgentNode =
  /* @__PURE__ */ memoizeWeakly(buildSessionTree)

const indexSubagents = /* @__PURE__ */ memoizeWeakly((subagents: readonly SubagentState[]) => {
  const byId = new Map<string, SubagentState>()
  for (const subagent of subagents) if (!byId.has(subagent.toolUseId)) byId.set(subagent.toolUseId, subagent)
  // One string may be the call's id of one agent and the agent id of another. The call's id wins.
  for (const subagent of subagents)
    if (subagent.agentId !== undefined && !byId.has(subagent.agentId)) byId.set(subagent.agentId, subagent)
  return byId
})

const indexBlocks = /* @__PURE__ */ memoizeWeakly(
  (blocks: readonly ConversationBlock[]) => new Map(blocks.map(({ id }, at) => [id, at])),
)

/** Returns the subagent with that `toolUseId`, else the one with that `agentId`, like `findSubagent`. */
export function subagentOf(state: SessionConversationState, ref: string): SubagentState | undefined {
  return indexSubagents(state.subagents).get(ref)
}

/** Returns the blocks of a conversation. For an unknown conversation it returns the same empty list each time. */
export function blocksOf(
  state: SessionConversationState,
  conversationId: string,
): readonly ConversationBlock[] {
  if (conversationId === MAIN) return state.blocks
  return subagentOf(state, conversationId)?.blocks ?? NO_BLOCKS
}

const NO_BLOCKS: readonly ConversationBlock[] = []

/** Returns the ids of the blocks: the same list for the same blocks. */
export const blockIdsOf: (blocks: readonly ConversationBlock[]) => readonly string[] =
  /* @__PURE__ */ memoizeWeakly((blocks: readonly ConversationBlock[]) => blocks.map(({ id }) => id))

/** Returns the index of the block, or -1. */
export function indexOfBlock(blocks: readonly ConversationBlock[], blockId: string): number {
  // A new block is usually the last one. The check saves building the index.
  if (blocks.at(-1)?.id === blockId) return blocks.length - 1
  return indexBlocks(blocks).get(blockId) ?? -1
}

import { type ConversationBlock, subagentBlockId } from '../../core/state/block.ts'
import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'

/**
 * Returns the state with every agent that a cut ended as it was before, because the input of one side may end before that of the other. The
 * end of main's turn and its blocks stay as the cut left them: a file that ends with the turn of a killed program is no shorter than the stream.
 */
export function reopenAgents(state: SessionConversationState): SessionConversationState {
  const statuses = new Map(
    state.subagents.flatMap((agent) => {
      const status = statusBeforeCut(agent)
      return status ? [[agent.toolUseId, status] as const] : []
    }),
  )
  if (statuses.size === 0) return state
  const reopened = (block: ConversationBlock, openBlocks: readonly string[] = []): ConversationBlock => {
    if (block.type === 'subagent') return { ...block, status: statuses.get(block.toolUseId) ?? block.status }
    return openBlocks.includes(block.id) ? { ...block, status: 'pending' } : block
  }
  const subagents = state.subagents.map(({ openBlocks, ...agent }) => ({
    ...agent,
    status: statuses.get(agent.toolUseId) ?? agent.status,
    blocks: agent.blocks.map((block) => reopened(block, openBlocks)),
  }))
  return { ...state, subagents, blocks: state.blocks.map((block) => reopened(block)) }
}

function statusBeforeCut({ toolUseId, openBlocks }: SubagentState): 'pending' | 'running' | undefined {
  if (!openBlocks) return undefined
  return openBlocks.includes(subagentBlockId(toolUseId)) ? 'pending' : 'running'
}

import type { ConversationBlock } from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'

/**
 * Finds the blocks of a growing session that are final and not printed yet. Blocks are printed in their order, so a
 * block waits for the pending ones before it. An agent's block waits for nothing, and nothing waits for it.
 */
export class FinalBlocks {
  readonly #printed = new Map<string, Set<string>>()
  readonly #lists = new Map<string, readonly ConversationBlock[]>()

  /** Returns the state with only the new blocks in each conversation, and marks them as printed. */
  take(state: SessionConversationState): SessionConversationState {
    const blocks = this.#takeFrom(MAIN, state)
    const subagents = state.subagents.map(
      (agent): SubagentState => ({ ...agent, blocks: this.#takeFrom(agent.toolUseId, agent) }),
    )
    return { ...state, blocks, subagents }
  }

  #takeFrom(id: string, { blocks }: ConversationThread): readonly ConversationBlock[] {
    // Most conversations do not change from one state to the next.
    if (this.#lists.get(id) === blocks) return []
    this.#lists.set(id, blocks)
    const printed = this.#printed.get(id) ?? new Set()
    this.#printed.set(id, printed)
    const fresh: ConversationBlock[] = []
    for (const block of blocks) {
      if (isWaiting(block)) break
      if (printed.has(block.id) || (block.type === 'subagent' && block.status === 'pending')) continue
      printed.add(block.id)
      fresh.push(block)
    }
    return fresh
  }
}

function isWaiting(block: ConversationBlock): boolean {
  return block.type !== 'subagent' && block.status === 'pending'
}

/** Returns the blocks that are still pending, without those of agents. */
export function pendingBlocks({ blocks }: ConversationThread): readonly ConversationBlock[] {
  return blocks.filter(isWaiting)
}

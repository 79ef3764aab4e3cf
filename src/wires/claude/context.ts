import { memoizeWeakly } from '../../selectors/memoize.ts'
import { TranslationContext } from '../../session/context.ts'
import { type BlockOf, type ConversationBlock, subagentBlockId } from '../../state/block.ts'
import { type Branch, MAIN } from '../../state/session.ts'
import type { ClaudeNotes } from './notes.ts'

/** The translation of messages of Claude Code. */
export class ClaudeContext extends TranslationContext<ClaudeNotes> {
  /** Whether the agent's call still streams, or did at a cut. */
  isAnnounced(toolUseId: string): boolean {
    const { status, openBlocks } = this.findAgent(toolUseId) ?? {}
    return status === 'pending' || openBlocks?.includes(subagentBlockId(toolUseId)) === true
  }

  /** Returns the blocks of a conversation that are pending, or were until a cut. */
  openBlocksOf(conversationId: string): readonly ConversationBlock[] {
    const cut = this.#cutBlocks(conversationId)
    const pending = this.pendingBlocks(conversationId)
    return cut.length === 0
      ? pending
      : [...cut.flatMap((id) => this.findBlock(conversationId, id) ?? []), ...pending]
  }

  #cutBlocks(conversationId: string): readonly string[] {
    const { openBlocks } = (conversationId === MAIN ? this.turn : this.findAgent(conversationId)) ?? {}
    return openBlocks ?? NO_BLOCKS
  }

  /** Returns the call of a tool. */
  findCall(conversationId: string, toolUseId: string): BlockOf<'tool_use'> | undefined {
    const block = this.findBlock(conversationId, toolUseId)
    return block?.type === 'tool_use' ? block : undefined
  }

  /** Whether the block is on an abandoned branch. */
  isAbandoned(blockId: string): boolean {
    return this.branches !== undefined && abandonedIds(this.branches).has(blockId)
  }
}

/** An agent as the state has it, without its conversation. */
export type AgentState = NonNullable<ReturnType<ClaudeContext['findAgent']>>

const NO_BLOCKS: readonly string[] = []

const abandonedIds = /* @__PURE__ */ memoizeWeakly(
  (branches: readonly Branch[]): ReadonlySet<string> =>
    new Set(branches.flatMap(({ blocks }) => blocks.map(({ id }) => id))),
)

import { memoizeWeakly } from '../../selectors/memoize.ts'
import { TranslationContext } from '../../session/context.ts'
import type { BlockOf } from '../../state/block.ts'
import type { Branch } from '../../state/session.ts'
import type { ClaudeNotes } from './notes.ts'

/** The translation of messages of Claude Code. */
export class ClaudeContext extends TranslationContext<ClaudeNotes> {
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

const abandonedIds = /* @__PURE__ */ memoizeWeakly(
  (branches: readonly Branch[]): ReadonlySet<string> =>
    new Set(branches.flatMap(({ blocks }) => blocks.map(({ id }) => id))),
)

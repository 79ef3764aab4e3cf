import { memoizeWeakly } from '../../selectors/memoize.ts'
import { TranslationContext } from '../../session/context.ts'
import { type BlockOf, messageIdOf } from '../../state/block.ts'
import type { Branch } from '../../state/session.ts'
import type { ClaudeNotes } from './notes.ts'

const abandonedMessages = /* @__PURE__ */ memoizeWeakly(
  (branches: readonly Branch[]): ReadonlySet<string> =>
    new Set(branches.flatMap(({ blocks }) => blocks).flatMap((block) => messageIdOf(block) ?? [])),
)

/** The translation of messages of Claude Code. */
export class ClaudeContext extends TranslationContext<ClaudeNotes> {
  /** Whether main's message of the model is on an abandoned branch. */
  isAbandonedMessage(messageId: string): boolean {
    return this.branches !== undefined && abandonedMessages(this.branches).has(messageId)
  }

  /** Returns the call of a tool. */
  findCall(conversationId: string, toolUseId: string): BlockOf<'tool_use'> | undefined {
    const block = this.findBlock(conversationId, toolUseId)
    return block?.type === 'tool_use' ? block : undefined
  }
}

import type { BlockOf } from '../../core/state/block.ts'
import { TranslationContext } from '../../reading/context.ts'
import type { ClaudeNotes } from './notes.ts'

/** The translation of messages of Claude Code. */
export class ClaudeContext extends TranslationContext<ClaudeNotes> {
  /** Returns the call of a tool. */
  findCall(conversationId: string, toolUseId: string): BlockOf<'tool_use'> | undefined {
    const block = this.findBlock(conversationId, toolUseId)
    return block?.type === 'tool_use' ? block : undefined
  }
}

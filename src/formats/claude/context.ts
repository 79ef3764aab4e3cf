import type { IncomingBlock } from '../../events/event.ts'
import { MAIN } from '../../state/session.ts'
import { TranslationContext } from '../translation/context.ts'
import type { ClaudeMemory } from './memory.ts'

const NO_BLOCKS: readonly string[] = []

/** One message of Claude Code while the source turns it into events. */
export class ClaudeContext extends TranslationContext<ClaudeMemory> {
  #modelBlockIds: readonly string[] | undefined
  #addedBlockIds: string[] | undefined

  override upsert(conversationId: string, block: IncomingBlock): void {
    // A call belongs to the line of the model, and its result only changes it.
    if (conversationId === MAIN && block.type !== 'tool_use') {
      this.#addedBlockIds ??= []
      this.#addedBlockIds.push(block.id)
    }
    super.upsert(conversationId, block)
  }

  /** Sets the blocks of a model's line. The state may have had them before. */
  setModelBlocks(blockIds: readonly string[]): void {
    this.#modelBlockIds = blockIds
  }

  /** Returns the ids of the line's blocks: those of a model's line, or those that another line has added to main. */
  takeBlockIds(): { readonly ofModel?: readonly string[] | undefined; readonly added: readonly string[] } {
    const blocks = { ofModel: this.#modelBlockIds, added: this.#addedBlockIds ?? NO_BLOCKS }
    this.#modelBlockIds = undefined
    this.#addedBlockIds = undefined
    return blocks
  }
}

import type { IncomingBlock } from '../../events/event.ts'
import { MAIN } from '../../state/session.ts'
import { TranslationContext } from '../translation/context.ts'
import type { ClaudeMemory } from './memory.ts'

/** One message of Claude Code while the source turns it into events. */
export class ClaudeContext extends TranslationContext<ClaudeMemory> {
  /** The ids of main's blocks that the message adds. A call belongs to the line of the model, and its result only changes it. */
  readonly addedBlockIds: string[] = []

  override upsert(conversationId: string, block: IncomingBlock): void {
    if (conversationId === MAIN && block.type !== 'tool_use') this.addedBlockIds.push(block.id)
    super.upsert(conversationId, block)
  }
}

import type { IncomingBlock } from '../../core/events/event.ts'
import { type AllowUndefined, omitUndefined } from '../../core/json/fields.ts'
import type { BlockOf, ConversationBlock } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { TranslationContext } from '../../reading/context.ts'
import type { KimiNotes } from './notes.ts'

/** The translation of a batch of Kimi Code's messages into session events. */
export class KimiContext extends TranslationContext<KimiNotes> {
  /** The agents that the current message has linked. Events may wait for them. */
  readonly linked: string[] = []

  /** Returns the conversation of an agent; undefined if nothing links the agent to a call yet. */
  conversationOf(agentId: string): string | undefined {
    return agentId === MAIN ? MAIN : this.findAgent(agentId)?.toolUseId
  }

  /** Shows a block. A block that the person took back stays on its branch. */
  show(conversationId: string, fields: AllowUndefined<IncomingBlock>): void {
    const block: IncomingBlock = omitUndefined(fields)
    if (!this.isTakenBack(conversationId, block)) this.upsert(conversationId, block)
  }

  /** Whether the block, or another one of its message, is on an abandoned branch. */
  isTakenBack(conversationId: string, block: IncomingBlock): boolean {
    if (conversationId !== MAIN) return false
    const messageId = 'messageId' in block ? block.messageId : undefined
    return this.isAbandoned(block.id) || (messageId !== undefined && this.isAbandoned(messageId))
  }

  /** Returns the last wanted block of a message of the model. */
  lastOfMessage(
    conversationId: string,
    messageId: string,
    isWanted: (block: ConversationBlock) => boolean = () => true,
  ): ConversationBlock | undefined {
    for (const block of this.messageFromEnd(conversationId, messageId)) if (isWanted(block)) return block
    return undefined
  }
}

/** A text or a thought of the model. */
export type TextBlock = BlockOf<'assistant_text' | 'thinking'>

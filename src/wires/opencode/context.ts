import type { IncomingBlock } from '../../core/events/event.ts'
import type { AllowUndefined } from '../../core/json/fields.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { TranslationContext } from '../../reading/context.ts'
import { isOlderId } from './event.ts'
import type { OpencodeNotes } from './notes.ts'

/** The translation of a batch of OpenCode's messages into session events. */
export class OpencodeContext extends TranslationContext<OpencodeNotes> {
  /** The sessions whose parent, call or tree became known since the last release of buffered events. */
  readonly #revealed = new Set<string>()
  #revealsAll = false

  /** Notes that the parent or the call of a session is known now, so its place and those below it may be known. */
  reveal(sessionId: string): void {
    this.#revealed.add(sessionId)
  }

  /** Notes that the main session is known now, so the place of any session may be known. */
  revealAll(): void {
    this.#revealsAll = true
  }

  /**
   * Shows a block. A prompt that waits while the model works moves behind it, as in the program's files: the message
   * of the reply is older.
   */
  override upsert(conversationId: string, block: AllowUndefined<IncomingBlock>): void {
    const waiting = this.#waitingPrompts(conversationId, block)
    super.upsert(conversationId, block)
    for (const prompt of waiting) {
      this.emit({ type: 'block:removed', conversationId, blockId: prompt.id })
      super.upsert(conversationId, prompt)
    }
  }

  /** Returns the last prompts, if the block is new and of an older message. */
  #waitingPrompts(
    conversationId: string,
    block: AllowUndefined<IncomingBlock>,
  ): readonly ConversationBlock[] {
    const waiting: ConversationBlock[] = []
    for (const last of this.state.blocksFromEnd(conversationId)) {
      if (last.type !== 'user_message' || !isOlderId(this.#messageIdOf(conversationId, block), last.id)) break
      waiting.unshift(last)
    }
    return waiting.length === 0 || this.state.findBlock(conversationId, block.id) ? [] : waiting
  }

  #messageIdOf(conversationId: string, block: AllowUndefined<IncomingBlock>): string | undefined {
    const part = block.type === 'tool_result' ? this.state.findBlock(conversationId, block.toolUseId) : block
    return part && 'messageId' in part ? part.messageId : undefined
  }

  get hasRevealed(): boolean {
    return this.#revealsAll || this.#revealed.size > 0
  }

  /** Takes the sessions that were revealed since the last call. Undefined stands for all sessions. */
  takeRevealed(): readonly string[] | undefined {
    const revealed = this.#revealsAll ? undefined : [...this.#revealed]
    this.#revealsAll = false
    this.#revealed.clear()
    return revealed
  }
}

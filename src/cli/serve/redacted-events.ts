import type { SessionEvent } from '../../events/event.ts'
import { foldSessionEvents } from '../../reducer/reduce.ts'
import { findConversation } from '../../selectors/find.ts'
import type { Redact } from '../../sinks/markdown/options.ts'
import { redactAll } from '../../sinks/markdown/redaction/redactions.ts'
import { SessionRedaction } from '../../sinks/markdown/redaction/session.ts'
import type { ConversationBlock } from '../../state/block.ts'
import { createInitialConversationState, MAIN, type SessionConversationState } from '../../state/session.ts'
import { isGrowing } from '../growing-block.ts'
import { keyOf, SettledTexts } from '../settled-texts.ts'

/** A block whose text grows, and what readers have of it, before its redaction. */
interface Growth {
  readonly conversationId: string
  readonly blockId: string
  shown: ConversationBlock | undefined
}

/** Redacts the events of a session that goes on. A block that grows comes as a whole each time that readers may have more of it. */
export class RedactedEvents {
  readonly #redaction: SessionRedaction
  readonly #settled = new SettledTexts()
  readonly #growing = new Map<string, Growth>()
  #state = createInitialConversationState()

  constructor(redact: Redact = redactAll) {
    this.#redaction = new SessionRedaction(redact)
  }

  /** Goes on from another state. Returns it with redacted texts. */
  replaceState(state: SessionConversationState): SessionConversationState {
    this.#state = state
    this.#settled.clear()
    this.#growing.clear()
    for (const { blocks } of [state, ...state.subagents])
      for (const block of blocks.filter(isGrowing))
        this.#growthOf(block.conversationId, block.id).shown = this.#settled.settleBlock(block)
    return this.#redaction.redact(this.#settled.settle(state))
  }

  /** Returns events that lead readers to the redacted state. */
  append(events: readonly SessionEvent[]): readonly SessionEvent[] {
    this.#state = foldSessionEvents(this.#state, events).state
    const others = events.flatMap((event) => this.#otherEvent(event))
    const grown = [...this.#growing.values()].flatMap((growth) => this.#grownBlock(growth))
    return [...others, ...grown].map((event) => this.#redaction.redact(event))
  }

  /** Returns the event unless it brings more text to a block that grows. */
  #otherEvent(event: SessionEvent): readonly SessionEvent[] {
    if (event.type === 'block:delta') {
      this.#growthOf(event.conversationId ?? MAIN, event.blockId)
      return []
    }
    if (event.type !== 'block:upsert') return [event]
    const conversationId = event.conversationId ?? event.block.conversationId ?? MAIN
    const block = { ...event.block, conversationId }
    if (!isGrowing(block)) {
      this.#forget(block)
      return [event]
    }
    const growth = this.#growthOf(conversationId, block.id)
    // Later texts come at the end. The first one has its place before the blocks after it.
    if (growth.shown && block.type !== 'subagent') return []
    growth.shown = this.#settled.settleBlock(block)
    return [{ ...event, block: growth.shown }]
  }

  #grownBlock(growth: Growth): readonly SessionEvent[] {
    const { conversationId, blockId } = growth
    const block = findConversation(this.#state, conversationId)?.blocks.findLast(({ id }) => id === blockId)
    const isPending = block !== undefined && isGrowing(block)
    if (!isPending) this.#forget({ conversationId, id: blockId })
    // An upsert of a subagent's block would count as another spawn.
    if (!block || block.type === 'subagent') return []
    const shown = isPending ? this.#settled.settleBlock(block) : block
    if (shown === growth.shown) return []
    growth.shown = shown
    return [{ type: 'block:upsert', conversationId, block: shown }]
  }

  #forget(block: Pick<ConversationBlock, 'conversationId' | 'id'>): void {
    this.#growing.delete(keyOf(block))
    this.#settled.forget(block)
  }

  #growthOf(conversationId: string, blockId: string): Growth {
    const key = keyOf({ conversationId, id: blockId })
    const growth = this.#growing.get(key) ?? { conversationId, blockId, shown: undefined }
    this.#growing.set(key, growth)
    return growth
  }
}

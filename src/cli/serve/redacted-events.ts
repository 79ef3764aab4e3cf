import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import { foldSessionEvents } from '../../core/reducer/reduce.ts'
import { findConversation } from '../../core/selectors/find.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { createInitialConversationState, MAIN } from '../../core/state/session.ts'
import type { Redact } from '../../redaction/options.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { SessionRedaction } from '../../redaction/session.ts'
import {
  canGrow,
  type GrowingBlock,
  growingLength,
  isGrowing,
  keyOf,
  SettledTexts,
} from '../growing-block.ts'

/** A block whose text grows, and what readers have of it, before its redaction. */
interface Growth {
  readonly conversationId: string
  readonly blockId: string
  shown: ConversationBlock | undefined
  /** Its text is the last thing that came in its conversation, so more of it may come after its end, too. */
  isLast: boolean
}

/** Redacts the events of a session that goes on. A block that grows comes as a whole each time that readers may have more of it. */
export class RedactedEvents {
  readonly #redaction: SessionRedaction
  readonly #settled = new SettledTexts()
  readonly #growing = new Map<string, Growth>()
  /** The blocks that readers have as a whole. */
  readonly #final = new Map<string, GrowingBlock>()
  #state = createInitialConversationState()

  constructor(redact: Redact = redactAll) {
    this.#redaction = new SessionRedaction(redact)
  }

  /** Whether a final text waits for the end of its last line. */
  get isWaiting(): boolean {
    return [...this.#growing.values()].some(({ isLast, shown }) => isLast && shown?.status !== 'pending')
  }

  /** Returns events that lead readers to the redacted state. */
  append(events: readonly SessionEvent[]): readonly SessionEvent[] {
    // Readers get the lines of a block before it goes to a branch.
    const at = events.findIndex(({ type }) => type === 'branch:abandoned')
    if (at > 0) return [...this.append(events.slice(0, at)), ...this.append(events.slice(at))]
    this.#state = foldSessionEvents(this.#state, events).state
    const end = events.findLastIndex((event) => endedConversation(event) === MAIN)
    const others = events.flatMap((event, index) => this.#otherEvent(event, index < end))
    return [...others, ...this.#grownBlocks()].map((event) => this.#redaction.redact(event))
  }

  /** Returns the ends of the final texts that wait for more. Call it when nothing came for a while. */
  release(): readonly SessionEvent[] {
    for (const growth of this.#growing.values()) growth.isLast = false
    return this.#grownBlocks().map((event) => this.#redaction.redact(event))
  }

  /** Returns the event unless it brings more text to a block that grows. `isFollowed`: the start or the end of a turn comes after it. */
  #otherEvent(event: SessionEvent, isFollowed: boolean): readonly SessionEvent[] {
    if (event.type === 'block:delta') {
      this.#growthOf(event.conversationId ?? MAIN, event.blockId).isLast = true
      return []
    }
    if (event.type === 'block:upsert') return this.#upsert(event, isFollowed)
    const ended = endedConversation(event)
    if (ended !== undefined) this.#endTexts(ended)
    return [event]
  }

  #upsert(event: EventOf<'block:upsert'>, isFollowed: boolean): readonly SessionEvent[] {
    const conversationId = event.conversationId ?? event.block.conversationId ?? MAIN
    const block = { ...event.block, conversationId }
    const key = keyOf(block)
    const final = this.#final.get(key)
    if (!final && !this.#growing.has(key)) this.#endTexts(conversationId)
    const mayGrow = canGrow(block) && (isGrowing(block) || this.#isLate(block, final, isFollowed))
    if (!mayGrow) {
      this.#forget(block)
      if (canGrow(block)) this.#final.set(key, block)
      return [event]
    }
    const growth = this.#growthOf(conversationId, block.id)
    growth.isLast = true
    growth.shown ??= final
    // Later texts come at the end. The first one has its place before the blocks after it.
    if (growth.shown && block.type !== 'subagent') return []
    growth.shown = this.#settled.settleBlock(block)
    return [{ ...event, block: growth.shown }]
  }

  /** Whether the final block has grown after its end, or is a text that came after the end of its turn, which may still grow. */
  #isLate(block: GrowingBlock, final: GrowingBlock | undefined, isFollowed: boolean): boolean {
    const growth = this.#growing.get(keyOf(block))
    if (growth) return growth.shown?.status !== 'pending'
    if (final) return growingLength(block) > growingLength(final)
    const { turn } = this.#state
    const isText = block.type === 'assistant_text' || block.type === 'thinking'
    return isText && !isFollowed && block.conversationId === MAIN && turn.status !== 'running'
  }

  /** Something else follows in the conversation, so its final texts are whole. */
  #endTexts(conversationId: string): void {
    for (const growth of this.#growing.values())
      if (growth.conversationId === conversationId) growth.isLast = false
  }

  #grownBlocks(): readonly SessionEvent[] {
    return [...this.#growing.values()].flatMap((growth) => this.#grownBlock(growth))
  }

  #grownBlock(growth: Growth): readonly SessionEvent[] {
    const { conversationId, blockId } = growth
    const block = findConversation(this.#state, conversationId)?.blocks.findLast(({ id }) => id === blockId)
    const shown = block && this.#shownOf(block, growth)
    // An upsert of a subagent's block would count as another spawn.
    if (!shown || block.type === 'subagent' || shown === growth.shown) return []
    growth.shown = shown
    return [{ type: 'block:upsert', conversationId, block: shown }]
  }

  /** Returns what readers may have of the block, and forgets its growth if that is all. */
  #shownOf(block: ConversationBlock, growth: Growth): ConversationBlock {
    if (isGrowing(block)) return this.#settled.settleBlock(block)
    const before = growth.shown ?? this.#final.get(keyOf(block))
    if (!growth.isLast || !canGrow(block)) {
      this.#forget(block)
      if (canGrow(block)) this.#final.set(keyOf(block), block)
      return block
    }
    const settled = this.#settled.settleBlock(block)
    const hasMore = !before || !canGrow(before) || growingLength(settled) > growingLength(before)
    return hasMore ? settled : before
  }

  #forget(block: Pick<ConversationBlock, 'conversationId' | 'id'>): void {
    this.#growing.delete(keyOf(block))
    this.#final.delete(keyOf(block))
    this.#settled.forget(block)
  }

  #growthOf(conversationId: string, blockId: string): Growth {
    const key = keyOf({ conversationId, id: blockId })
    const growth = this.#growing.get(key) ?? {
      conversationId,
      blockId,
      shown: this.#final.get(key),
      isLast: false,
    }
    this.#growing.set(key, growth)
    return growth
  }
}

/** Returns the conversation whose texts the event ends. */
function endedConversation(event: SessionEvent): string | undefined {
  if (event.type === 'subagent:completed') return event.toolUseId
  const isTurn = event.type === 'session:idle' || event.type === 'session:running'
  return isTurn ? (event.conversationId ?? MAIN) : undefined
}

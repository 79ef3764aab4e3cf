import type { SessionEvent } from '../../events/event.ts'
import { foldSessionEvents } from '../../reducer/reduce.ts'
import { findBlock } from '../../selectors/find.ts'
import { redactAll } from '../../sinks/markdown/redaction/redactions.ts'
import { SessionRedaction } from '../../sinks/markdown/redaction/session.ts'
import type { ConversationBlock } from '../../state/block.ts'
import { createInitialConversationState, MAIN, type SessionConversationState } from '../../state/session.ts'

/** A block whose text grows. */
interface GrowingBlock {
  readonly conversationId: string
  readonly blockId: string
  /** The length of the text that readers have, in UTF-16 units. */
  sent: number
}

/** Redacts the events of a session that goes on. A key may come in several deltas, so each text is redacted as a whole. */
export class RedactedEvents {
  readonly #redaction = new SessionRedaction(redactAll)
  /** The blocks with deltas that are not final. */
  readonly #growing = new Map<string, GrowingBlock>()
  #state = createInitialConversationState()

  /** Goes on from another state. Returns it with redacted texts. */
  replaceState(state: SessionConversationState): SessionConversationState {
    this.#state = state
    this.#growing.clear()
    return this.#redaction.redact(state)
  }

  /** Returns events that lead readers to the redacted state. A block with deltas comes as a whole. */
  append(events: readonly SessionEvent[]): readonly SessionEvent[] {
    this.#state = foldSessionEvents(this.#state, events).state
    const whole = events.flatMap((event) => {
      if (event.type !== 'block:delta') return [this.#redaction.redact(event)]
      const { conversationId = MAIN, blockId } = event
      const key = `${conversationId}\n${blockId}`
      if (!this.#growing.has(key)) this.#growing.set(key, { conversationId, blockId, sent: 0 })
      return []
    })
    return [...whole, ...[...this.#growing].flatMap(([key, growing]) => this.#grownBlock(key, growing))]
  }

  #grownBlock(key: string, growing: GrowingBlock): readonly SessionEvent[] {
    const { conversationId, blockId } = growing
    const block = findBlock(this.#state, conversationId, blockId)
    const isPending = block?.status === 'pending'
    if (!isPending) this.#growing.delete(key)
    // An upsert of a subagent's block would count as another spawn.
    if (!block || block.type === 'subagent') return []
    const shown = isPending ? withoutLastWord(block) : block
    const length = lengthOf(shown)
    if (isPending && length < growing.sent * GROWTH + 1) return []
    growing.sent = length
    return [{ type: 'block:upsert', conversationId, block: this.#redaction.redact(shown) }]
  }
}

/** Each upsert has the whole text. In steps of its length, the sum of a long text stays in proportion to the text. */
const GROWTH = 1.02

function lengthOf(block: ConversationBlock): number {
  if ('inputText' in block) return block.inputText?.length ?? 0
  return 'content' in block ? block.content.length : 0
}

/** The last word may go on: half of a key is no key for a rule. */
function withoutLastWord(block: ConversationBlock): ConversationBlock {
  if ('inputText' in block && block.inputText !== undefined)
    return { ...block, inputText: block.inputText.replace(LAST_WORD, '') }
  return 'content' in block && typeof block.content === 'string'
    ? { ...block, content: block.content.replace(LAST_WORD, '') }
    : block
}

const LAST_WORD = /(?<!\S)\S*$/

import { isEqual } from '../core/json/equal.ts'
import type { ConversationBlock } from '../core/state/block.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import { type GrowingBlock, growingLength, isGrowing, settledBlock } from './growing-block.ts'

/** A longer text is looked at after it has grown by a part of its length, so that the cost of a text is in proportion to its length. */
const SHORT = 1_000
const STEP = 1.02

/** What readers have of a block that grows. */
interface Shown {
  readonly block: GrowingBlock
  /** The length of the whole block at that time, in UTF-16 units. */
  readonly length: number
}

/** Holds back the texts of growing blocks that may still become secrets: half of a key is no key for a rule. */
export class SettledTexts {
  readonly #shown = new Map<string, Shown>()

  /** Returns the state that readers may have, before its redaction. */
  settle(state: SessionConversationState): SessionConversationState {
    const growing = new Set<string>()
    const settle = (block: ConversationBlock) => {
      if (!isGrowing(block)) return block
      growing.add(keyOf(block))
      return this.settleBlock(block)
    }
    const blocks = state.blocks.map(settle)
    const subagents = state.subagents.map((agent) => ({ ...agent, blocks: agent.blocks.map(settle) }))
    for (const key of this.#shown.keys()) if (!growing.has(key)) this.#shown.delete(key)
    // Nothing comes to a branch any more, so its blocks stay as they are.
    const branches = state.branches?.map((branch) => ({ ...branch, blocks: branch.blocks.map(settleAlone) }))
    return { ...state, blocks, subagents, ...(branches && { branches }) }
  }

  /** Returns the block that readers may have. It is the same one until there is more for them. */
  settleBlock(block: GrowingBlock): GrowingBlock {
    const key = keyOf(block)
    const shown = this.#shown.get(key)
    const length = growingLength(block)
    if (shown && length > SHORT && length >= shown.length && length < shown.length * STEP) return shown.block
    const settled = settledBlock(block)
    const kept = shown && isEqual(settled, shown.block) ? shown.block : settled
    this.#shown.set(key, { block: kept, length })
    return kept
  }

  /** Forgets a block that is final. */
  forget(block: Pick<ConversationBlock, 'conversationId' | 'id'>): void {
    this.#shown.delete(keyOf(block))
  }
}

function settleAlone(block: ConversationBlock): ConversationBlock {
  return isGrowing(block) ? settledBlock(block) : block
}

/** Returns a name for the block that no other one of the session has. */
export function keyOf({ conversationId, id }: Pick<ConversationBlock, 'conversationId' | 'id'>): string {
  return `${conversationId}\n${id}`
}

import { findConversation } from '../selectors/find.ts'
import type { ConversationBlock } from '../state/block.ts'
import type { SessionConversationState } from '../state/session.ts'
import type { SessionStore } from '../store.ts'

type Listeners = Map<string, Set<() => void>>

/**
 * Tells who shows a block when it has changed, and nobody else: where ten thousand are shown, asking each of them with every frame
 * would cost more than folding and showing the one that a delta concerns.
 */
export class BlockListeners {
  readonly #store: SessionStore
  readonly #conversations = new Map<string, Listeners>()
  #state: SessionConversationState
  #end: (() => void) | undefined

  constructor(store: SessionStore) {
    this.#store = store
    this.#state = store.getState()
  }

  /** Calls the listener when the block has changed, come, gone or moved; returns what ends that. */
  subscribe(conversationId: string, blockId: string, listener: () => void): () => void {
    if (!this.#end) {
      this.#state = this.#store.getState()
      this.#end = this.#store.subscribe(() => this.#tell())
    }
    const listeners = entryOf(this.#conversations, conversationId, () => new Map())
    const ofBlock = entryOf(listeners, blockId, () => new Set())
    ofBlock.add(listener)
    return () => {
      ofBlock.delete(listener)
      if (ofBlock.size === 0 && listeners.get(blockId) === ofBlock) listeners.delete(blockId)
      if (listeners.size === 0 && this.#conversations.get(conversationId) === listeners)
        this.#forget(conversationId)
    }
  }

  #forget(conversationId: string): void {
    this.#conversations.delete(conversationId)
    if (this.#conversations.size > 0) return
    this.#end?.()
    this.#end = undefined
  }

  #tell(): void {
    const before = this.#state
    this.#state = this.#store.getState()
    for (const [conversationId, listeners] of this.#conversations)
      for (const blockId of changedBlocks(
        blocksIn(before, conversationId),
        blocksIn(this.#state, conversationId),
      ))
        for (const listener of listeners.get(blockId) ?? []) listener()
  }
}

function blocksIn(state: SessionConversationState, conversationId: string): readonly ConversationBlock[] {
  return findConversation(state, conversationId)?.blocks ?? NO_BLOCKS
}

const NO_BLOCKS: readonly ConversationBlock[] = []

/** The ids of all that does not stand where it stood. */
function changedBlocks(
  before: readonly ConversationBlock[],
  after: readonly ConversationBlock[],
): ReadonlySet<string> {
  const changed = new Set<string>()
  if (before === after) return changed
  for (let at = 0; at < before.length || at < after.length; at += 1) {
    const old = before[at]
    const young = after[at]
    if (old === young) continue
    if (old) changed.add(old.id)
    if (young) changed.add(young.id)
  }
  return changed
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

import type { ConversationBlock } from '../state/block.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import type { SessionStore } from '../store/store.ts'
import { blocksIn } from './look-ups.ts'

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

  /** Calls the listener when the block has changed, come or gone; returns what ends that. */
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
    const after = this.#store.getState()
    this.#state = after
    for (const [conversationId, listeners] of this.#conversations) {
      if (conversationId !== MAIN && before.subagents === after.subagents) continue
      for (const blockId of changedBlocks(blocksIn(before, conversationId), blocksIn(after, conversationId)))
        for (const listener of listeners.get(blockId) ?? []) listener()
    }
  }
}

/** The ids of what has come, gone or changed, and of what has moved in between. */
function changedBlocks(
  before: readonly ConversationBlock[],
  after: readonly ConversationBlock[],
): ReadonlySet<string> {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const changed = new Set<string>()
  for (const blocks of [before, after])
    for (let at = start; at < blocks.length - end; at += 1)
      if (before[at] !== after[at]) changed.add(blocks[at]?.id ?? '')
  return changed
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

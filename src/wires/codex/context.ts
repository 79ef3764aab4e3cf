import type { IncomingBlock } from '../../events/event.ts'
import { withChanges } from '../../json/with-changes.ts'
import { TranslationContext } from '../../session/context.ts'
import { numberedId } from '../../state/numbered-id.ts'
import { MAIN } from '../../state/session.ts'
import type { CodexMemory, KnownItem, KnownThread } from './memory.ts'

/** The translation of a batch of Codex messages into session events. */
export class CodexContext extends TranslationContext<CodexMemory> {
  thread(id: string): KnownThread | undefined {
    return this.memory.threads.get(id)
  }

  /** Returns the facts of the thread of an event. */
  factsOf(id: string): KnownThread {
    return this.thread(id) ?? this.#newThread(id)
  }

  /** Returns the thread with the changes. */
  updateThread(id: string, changes: Partial<KnownThread>): KnownThread {
    const known = this.factsOf(id)
    const thread = withChanges(known, changes)
    this.setEntry('threads', id, thread)
    return thread
  }

  #newThread(id: string): KnownThread {
    const order = this.memory.threadCount
    this.remember({ threadCount: order + 1 })
    return { id, order, isMain: false, run: 'none', unnamed: 0, openTextIds: [], total: 0 }
  }

  item(threadId: string, itemId: string): KnownItem | undefined {
    return this.memory.items.get(this.keyOf(threadId, itemId))
  }

  updateItem(threadId: string, itemId: string, changes: Partial<KnownItem>): void {
    const item = withChanges(this.item(threadId, itemId) ?? { id: itemId }, changes)
    this.setEntry('items', this.keyOf(threadId, itemId), item)
  }

  /** Forgets all but the fact that the item has ended. */
  endItem(threadId: string, id: string, endedBy: KnownItem['endedBy'] & string): void {
    this.setEntry('items', this.keyOf(threadId, id), { id, endedBy })
  }

  /** Returns `'main'`, the call that started the agent, or the agent's thread while its call is not known. */
  conversationOf(threadId: string): string {
    const thread = this.thread(threadId)
    if (!thread || thread.isMain) return MAIN
    return thread.callId ?? threadId
  }

  /** Shows a block in the thread's conversation. */
  show(threadId: string, block: IncomingBlock): void {
    this.upsert(this.conversationOf(threadId), block)
  }

  /** Shows a new block that proves work. In main it starts the turn. */
  showWork(threadId: string, block: IncomingBlock, time: string | undefined): void {
    if (this.conversationOf(threadId) === MAIN) this.startTurn(time)
    this.show(threadId, block)
  }

  /** Returns the id of a block whose entry has none. It counts such blocks of the thread. */
  nextUnnamedId(threadId: string): string {
    const { unnamed } = this.factsOf(threadId)
    this.updateThread(threadId, { unnamed: unnamed + 1 })
    return numberedId(unnamed)
  }
}

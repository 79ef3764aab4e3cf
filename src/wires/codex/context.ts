import type { IncomingBlock } from '../../core/events/event.ts'
import type { AllowUndefined } from '../../core/json/fields.ts'
import { type ConversationBlock, subagentBlockId, toolResultBlockId } from '../../core/state/block.ts'
import { numberedId } from '../../core/state/numbered-id.ts'
import { MAIN } from '../../core/state/session.ts'
import { TranslationContext } from '../../reading/context.ts'
import type { CodexNotes } from './notes.ts'

/** The id of main's thread while no message has named it. */
export const UNNAMED = ''

const timeOf = ({ timestamp }: ConversationBlock): string | undefined => timestamp

/** The translation of a batch of Codex messages into session events. */
export class CodexContext extends TranslationContext<CodexNotes> {
  /** Counts a process of `codex exec`. */
  beginProcess(): void {
    this.notes.remember({ processes: (this.notes.values.processes ?? 0) + 1, isBetweenProcesses: undefined })
  }

  isMain(threadId: string): boolean {
    return (
      threadId === this.state.facts.id ||
      threadId === UNNAMED ||
      this.notes.values.earlierMainIds.get(threadId) !== undefined
    )
  }

  /** Returns the key of a thread's notes. Main goes on as a fork with another id. */
  threadKey(threadId: string): string {
    return this.isMain(threadId) ? MAIN : threadId
  }

  /** Returns the key of an item's notes. */
  itemKey(threadId: string, itemId: string): string {
    return this.notes.keyOf(this.threadKey(threadId), itemId)
  }

  /** Returns `'main'`, the call that started the agent, or the agent's thread while its call is not known. */
  conversationOf(threadId: string): string {
    return this.isMain(threadId) ? MAIN : (this.state.findAgent(threadId)?.toolUseId ?? threadId)
  }

  /** Whether a message has shown what the thread is. */
  isKnownThread(id: string): boolean {
    const { otherSessions, temporaryThreads, origins, turns } = this.notes.values
    if (this.isMain(id) || this.state.findAgent(id)) return true
    return [otherSessions, temporaryThreads, origins, turns].some((notes) => notes.get(id) !== undefined)
  }

  /** Returns the block of an item, or of a call's result. */
  blockOf(threadId: string, blockId: string): ConversationBlock | undefined {
    return this.state.findBlock(this.conversationOf(threadId), blockId)
  }

  /** Whether the item has a block, or shows another way that it has been read. */
  isKnownItem(threadId: string, itemId: string): boolean {
    const conversationId = this.conversationOf(threadId)
    const key = this.itemKey(threadId, itemId)
    return (
      [itemId, toolResultBlockId(itemId), subagentBlockId(itemId)].some((id) =>
        this.state.findBlock(conversationId, id),
      ) ||
      this.notes.values.planCalls.get(key) !== undefined ||
      this.notes.values.removedItems.get(key) !== undefined
    )
  }

  /** Whether an item or a result has ended by itself: not with its turn, and not with the input. */
  isDone(threadId: string, blockId: string): boolean {
    const key = this.itemKey(threadId, blockId)
    if (this.notes.values.removedItems.get(key)) return true
    const conversationId = this.conversationOf(threadId)
    return (
      this.state.findBlock(conversationId, blockId) !== undefined &&
      !this.state.isOpen(conversationId, blockId) &&
      this.notes.values.unfinishedItems.get(key) === undefined
    )
  }

  /** Forgets what only an open item needs. */
  closeItem(threadId: string, blockId: string): void {
    const key = this.itemKey(threadId, blockId)
    this.notes.removeEntry('unfinishedItems', key)
    this.notes.removeEntry('lastDeltas', key)
    this.notes.removeEntry('resumedTexts', key)
  }

  /** Notes the open texts, results and notes of a thread before their turn ends. Requests and calls end with it. */
  noteUnfinished(threadId: string): void {
    for (const { id, type } of this.state.openBlocks(this.conversationOf(threadId))) {
      if (type === 'request' || type === 'tool_use' || type === 'subagent') continue
      this.closeItem(threadId, id)
      this.notes.setEntry('unfinishedItems', this.itemKey(threadId, id), true)
    }
  }

  override beforeTurnEnd(): void {
    this.noteUnfinished(UNNAMED)
  }

  /** Shows a block in the thread's conversation, unless the person has taken it back. */
  show(threadId: string, block: AllowUndefined<IncomingBlock>): void {
    if (this.notes.values.removedItems.get(this.itemKey(threadId, block.id))) return
    this.upsert(this.conversationOf(threadId), block)
  }

  /** Starts main's turn, unless the work is older than the end of the last turn. */
  startWork(time: string | undefined): void {
    const { endedUntil } = this.notes.values
    if (time === undefined || endedUntil === undefined || time > endedUntil) this.turn.start(time)
  }

  /** Shows a new block that proves work. In main it starts the turn. */
  showWork(threadId: string, block: IncomingBlock, time: string | undefined): void {
    if (this.isMain(threadId)) this.startWork(time)
    this.show(threadId, block)
  }

  /** Whether the state that the source went on from has that time of the thread. */
  isKnownTime(threadId: string, time: string | undefined): boolean {
    const { endedUntil, knownUntil } = this.notes.values
    const until = knownUntil.get(this.threadKey(threadId)) ?? (this.isMain(threadId) ? endedUntil : undefined)
    return time !== undefined && until !== undefined && time <= until
  }

  /**
   * Whether a block of that time has been read whose entry has no id. The entry comes again then. A block of a branch
   * counts, too. A new entry is no older than the last block.
   */
  hasBlockAt(
    threadId: string,
    time: string | undefined,
    isSame: (block: ConversationBlock) => boolean,
  ): boolean {
    if (time === undefined) return false
    const conversationId = this.conversationOf(threadId)
    const isIt = (block: ConversationBlock) => block.timestamp === time && isSame(block)
    const isKnown = () =>
      this.state.blocksIn(conversationId, timeOf, time).some(isSame) ||
      this.state.branches.some(({ blocks }) => blocks.some(isIt))
    if (this.isKnownTime(threadId, time)) return isKnown()
    for (const block of this.state.blocksFromEnd(conversationId)) {
      const own: string = block.timestamp ?? time
      if (own !== time) return own > time && isKnown()
      if (isIt(block)) return true
    }
    return false
  }

  /**
   * Returns the id of a block whose entry has none. It counts such blocks of the thread. An agent's have its own id:
   * an equal one would be a copy of main's.
   */
  nextUnnamedId(threadId: string): string {
    const key = this.threadKey(threadId)
    const number = this.notes.values.unnamed.get(key) ?? 0
    this.notes.setEntry('unnamed', key, number + 1)
    return this.unnamedId(threadId, number)
  }

  /** Returns the id of the block with that number. */
  unnamedId(threadId: string, number: number): string {
    return this.isMain(threadId) ? numberedId(number) : `${threadId}:${numberedId(number)}`
  }
}

/** The parts of the context with which a rule reads and remembers. A rule with them alone emits nothing. */
export type CodexMemory = Pick<
  CodexContext,
  | 'state'
  | 'notes'
  | 'isMain'
  | 'threadKey'
  | 'itemKey'
  | 'conversationOf'
  | 'isKnownThread'
  | 'blockOf'
  | 'isKnownItem'
  | 'isDone'
  | 'closeItem'
  | 'noteUnfinished'
  | 'isKnownTime'
  | 'hasBlockAt'
  | 'nextUnnamedId'
  | 'unnamedId'
  | 'beginProcess'
>

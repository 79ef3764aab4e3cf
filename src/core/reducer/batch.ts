import type { Mutable } from '../json/fields.ts'
import type { ConversationBlock } from '../state/block.ts'
import {
  type Branch,
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
} from '../state/session.ts'
import type { SessionTurn } from '../state/turn.ts'
import { hasFurtherFields } from './fast.ts'
import { type GroupOf, OwnedList, type PlacedItem } from './owned-list.ts'
import { type CallIndex, indexCall, keepCallIndex, takeCallIndex } from './search-cache.ts'
import { type StateFacts, SubagentThread, Thread } from './thread.ts'

/**
 * Applies one or more events to a state. The batch copies a list or an item once, at the first change, and then edits
 * its copy. So a whole transcript costs one copy. The base state never changes.
 */
export class Batch {
  readonly #base: SessionConversationState
  #main: Thread | undefined
  #subagents: OwnedList<SubagentState> | undefined
  #branches: OwnedList<Branch> | undefined
  #opened: Map<string, SubagentThread> | undefined
  /** The one of them that was asked for last. All questions about a line concern one agent. */
  #lastOpened: SubagentThread | undefined
  #calls: CallIndex | undefined
  session: SessionFacts
  turn: SessionTurn

  constructor(base: SessionConversationState) {
    this.#base = base
    this.session = base.session
    this.turn = base.turn
  }

  // A live line is a batch of its own, and most of them need one list.

  get main(): Thread {
    this.#main ??= new Thread(MAIN, this.#base)
    return this.#main
  }

  get #agents(): OwnedList<SubagentState> {
    this.#subagents ??= new OwnedList(this.#base.subagents, toolUseIdOf)
    return this.#subagents
  }

  /** The abandoned branches of main. */
  get branches(): OwnedList<Branch> {
    this.#branches ??= new OwnedList(this.#base.branches ?? [], branchIdOf)
    return this.#branches
  }

  /** Returns main, or the subagent with the `toolUseId`, or else the one with the `agentId`. */
  thread(id: string): Thread | undefined {
    return id === MAIN ? this.main : this.subagent(id)
  }

  /** Like `thread`. For an unknown id it creates a running placeholder. */
  getOrCreateThread(id: string): Thread {
    return this.thread(id) ?? this.createSubagent({ toolUseId: id, status: 'running' })
  }

  /** Returns the subagent with the `toolUseId`, or else the one with the `agentId`. */
  subagent(id: string): SubagentThread | undefined {
    return this.subagentByToolUseId(id) ?? this.subagentByAgentId(id)
  }

  /** All subagents, in the order of their creation. Their conversations may be older than those of `thread`. */
  get subagents(): readonly StateFacts[] {
    return this.#agents.items
  }

  /** The subagents of a group, in the order of their creation. */
  subagentsIn(groupOf: GroupOf<StateFacts>, group: string): readonly StateFacts[] {
    return this.#agents.inGroup(groupOf, group).map(({ item }) => item)
  }

  /** Returns the first subagent of a group that passes a test. */
  firstSubagentIn(
    groupOf: GroupOf<StateFacts>,
    group: string,
    isWanted?: (subagent: StateFacts) => boolean,
  ): StateFacts | undefined {
    return this.#agents.firstInGroup(groupOf, group, isWanted)
  }

  /** Returns the subagents of a group, the last one first. */
  subagentsFromEnd(groupOf: GroupOf<StateFacts>, group: string): Iterable<StateFacts> {
    return this.#agents.fromEnd(groupOf, group)
  }

  subagentByToolUseId(toolUseId: string): SubagentThread | undefined {
    if (this.#lastOpened?.id === toolUseId) return this.#lastOpened
    const opened = this.#opened?.get(toolUseId)
    if (opened) {
      this.#lastOpened = opened
      return opened
    }
    const state = this.#agents.find(toolUseId)?.item
    return state && this.#open(state)
  }

  /** Agent ids are unique in a state that the reducer made. In another state the first one counts. */
  subagentByAgentId(agentId: string): SubagentThread | undefined {
    const found = this.#agents.firstInGroup(agentIdOf, agentId)
    return found && this.subagentByToolUseId(found.toolUseId)
  }

  /** Appends a new copy of a block to a conversation. */
  appendBlock(thread: Thread, block: ConversationBlock): void {
    thread.blocks.append(block)
    this.#indexCall(thread, block)
  }

  /** Puts a new copy of a block in the place of another one. */
  replaceBlock(thread: Thread, index: number, block: ConversationBlock): void {
    thread.blocks.replace(index, block)
    this.#indexCall(thread, block)
  }

  /** Puts a new copy of a block before the one at the index. */
  insertBlock(thread: Thread, block: ConversationBlock, index: number): void {
    thread.blocks.insert(index, block)
    this.#indexCall(thread, block)
  }

  #indexCall(thread: Thread, block: ConversationBlock): void {
    if (thread.id === MAIN) return
    this.#calls ??= takeCallIndex(this.#base.subagents)
    if (this.#calls) indexCall(this.#calls, thread.id, block)
  }

  /**
   * Returns the id of the conversation that has such a block under one of the ids: main, or else the first such
   * subagent. Only indexed blocks count.
   */
  conversationWith(
    blockIds: readonly string[],
    isWanted: (block: ConversationBlock | undefined) => boolean,
  ): string | undefined {
    const isIn = (thread: Thread | undefined) =>
      blockIds.some((id) => isWanted(thread?.blocks.find(id)?.item))
    if (isIn(this.main)) return MAIN
    const indexed = blockIds.flatMap((id) => this.#callIndex().get(id) ?? [])
    const owners = new Set(indexed.filter((owner) => isIn(this.subagentByToolUseId(owner))))
    if (owners.size < 2) return [...owners][0]
    return this.subagents.find(({ toolUseId }) => owners.has(toolUseId))?.toolUseId
  }

  #callIndex(): CallIndex {
    this.#calls ??= takeCallIndex(this.#base.subagents) ?? this.#indexedCalls()
    return this.#calls
  }

  #indexedCalls(): CallIndex {
    const index: CallIndex = new Map()
    for (const { toolUseId, blocks } of this.#agents.items)
      for (const block of this.#opened?.get(toolUseId)?.blocks.items ?? blocks)
        indexCall(index, toolUseId, block)
    return index
  }

  createSubagent(facts: StateFacts): SubagentThread {
    const state = subagentOf(facts)
    this.#agents.append(state)
    return this.#open(state)
  }

  hasChildren(id: string): boolean {
    return this.#agents.firstInGroup(parentIdOf, id) !== undefined
  }

  /** Makes each child of the first conversation a child of the second. */
  moveChildren(from: string, to: string): void {
    for (const { item } of this.#agents.inGroup(parentIdOf, from))
      this.subagentByToolUseId(item.toolUseId)?.update({ parentConversationId: to })
  }

  /** Replaces the subagent by one with these facts and an empty conversation, also if the facts come with one. */
  replaceSubagent(subagent: SubagentThread, known: StateFacts & Partial<ConversationThread>): SubagentThread {
    const { blocks: _blocks, usage: _usage, todos: _todos, ...facts } = known
    const state = subagentOf(facts)
    const entry = this.#close(subagent)
    if (entry) this.#agents.replace(entry.index, state)
    return this.#open(state)
  }

  removeSubagent(subagent: SubagentThread): void {
    const entry = this.#close(subagent)
    if (entry) this.#agents.remove(entry.index)
  }

  /** Returns the state after the batch: the base itself if nothing has changed. */
  finish(): SessionConversationState {
    const base = this.#base
    const subagents = this.#finishSubagents()
    const blocks = this.#main?.finishedBlocks() ?? base.blocks
    const usage = this.#main?.finishedUsage() ?? base.usage
    const todos = this.#main ? this.#main.todos : base.todos
    const branches = this.#branches ? this.#finishBranches() : base.branches
    const { turn, session } = this
    const isSame =
      blocks === base.blocks && usage === base.usage && todos === base.todos && branches === base.branches
    if (isSame && turn === base.turn && subagents === base.subagents && session === base.session) return base
    const state: Mutable<SessionConversationState> = { blocks, usage, turn, subagents, session }
    if (todos !== undefined) state.todos = todos
    if (branches !== undefined) state.branches = branches
    return Object.freeze(hasFurtherFields(base) ? withFurtherFields(state, base) : state)
  }

  #finishSubagents(): readonly SubagentState[] {
    const { subagents: before } = this.#base
    if (this.#opened) for (const subagent of this.#opened.values()) subagent.finish()
    const subagents = this.#subagents?.finish() ?? before
    const calls = this.#calls ?? (subagents === before ? undefined : takeCallIndex(before))
    if (calls) keepCallIndex(subagents, calls)
    return subagents
  }

  #finishBranches(): readonly Branch[] | undefined {
    const branches = this.branches.finish()
    return branches.length > 0 || branches === this.#base.branches ? branches : undefined
  }

  /** Removes the subagent from the look-ups, and returns its entry in the list. */
  #close({ id }: SubagentThread): PlacedItem<SubagentState> | undefined {
    this.#opened?.delete(id)
    this.#lastOpened = undefined
    return this.#agents.find(id)
  }

  #open(state: SubagentState): SubagentThread {
    const thread = new SubagentThread(this.#agents, state)
    this.#opened ??= new Map()
    this.#opened.set(thread.id, thread)
    return thread
  }
}

/** Returns a subagent with an empty conversation. The fields come first, for the reason in `withChanges`. */
function subagentOf(facts: StateFacts): SubagentState {
  return { blocks: [], usage: [], ...facts }
}

const toolUseIdOf = ({ toolUseId }: SubagentState): string => toolUseId
const agentIdOf = ({ agentId }: SubagentState): string | undefined => agentId
const parentIdOf = ({ parentConversationId }: SubagentState): string | undefined => parentConversationId
const branchIdOf = ({ id }: Branch): string => id

/** Returns the state with the fields of an earlier one that no reducer knows. */
function withFurtherFields(
  state: SessionConversationState,
  before: SessionConversationState,
): SessionConversationState {
  const { todos, branches, ...others } = before
  return { ...others, ...state }
}

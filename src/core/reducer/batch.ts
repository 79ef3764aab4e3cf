import { hasChanges } from '../json/with-changes.ts'
import type { ConversationBlock } from '../state/block.ts'
import {
  type Branch,
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
} from '../state/session.ts'
import { hasEnded } from '../state/subagent.ts'
import type { SessionTurn } from '../state/turn.ts'
import { type CallIndex, indexCall, keepCallIndex, takeCallIndex } from './call-index.ts'
import { OwnedList, type PlacedItem } from './owned-list.ts'
import { type StateFacts, SubagentThread, Thread } from './thread.ts'

/**
 * Applies one or more events to a state. The batch copies a list or an item once, at the first change, and then edits its copy. So
 * a whole transcript costs one copy. The base state never changes.
 */
export class Batch {
  readonly #base: SessionConversationState
  readonly #main: Thread
  readonly #subagents: OwnedList<SubagentState>
  /** The abandoned branches of main. */
  readonly branches: OwnedList<Branch>
  readonly #opened = new Map<string, SubagentThread>()
  #calls: CallIndex | undefined
  session: SessionFacts
  turn: SessionTurn

  constructor(base: SessionConversationState) {
    this.#base = base
    this.#main = new Thread(MAIN, base)
    this.#subagents = new OwnedList(base.subagents, toolUseIdOf)
    this.branches = new OwnedList(base.branches ?? NO_BRANCHES, branchIdOf)
    this.session = base.session
    this.turn = base.turn
  }

  /** Returns main, or the subagent with the `toolUseId`, or else the one with the `agentId`. */
  thread(id: string): Thread | undefined {
    return id === MAIN ? this.#main : this.subagent(id)
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
    return this.#subagents.items
  }

  /** The subagents whose run has not ended by itself, in the order of their creation. */
  get openSubagents(): readonly StateFacts[] {
    return this.#subagents.inGroup(openGroup, OPEN).map(({ item }) => item)
  }

  subagentByToolUseId(toolUseId: string): SubagentThread | undefined {
    const opened = this.#opened.get(toolUseId)
    if (opened) return opened
    const state = this.#subagents.find(toolUseId)?.item
    return state && this.#open(state)
  }

  /** Agent ids are unique in a state that the reducer made. In another state the first one counts. */
  subagentByAgentId(agentId: string): SubagentThread | undefined {
    const [entry] = this.#subagents.inGroup(agentIdOf, agentId)
    return entry && this.subagentByToolUseId(entry.item.toolUseId)
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
    if (thread === this.#main) return
    this.#calls ??= takeCallIndex(this.#base.subagents)
    if (this.#calls) indexCall(this.#calls, thread.id, block)
  }

  /** Returns the id of the conversation that has such a block under one of the ids: main, or else the first such subagent. Only indexed blocks count. */
  conversationWith(
    blockIds: readonly string[],
    isWanted: (block: ConversationBlock | undefined) => boolean,
  ): string | undefined {
    const isIn = (thread: Thread | undefined) =>
      blockIds.some((id) => isWanted(thread?.blocks.find(id)?.item))
    if (isIn(this.#main)) return MAIN
    const indexed = blockIds.flatMap((id) => this.#callIndex().get(id) ?? [])
    const owners = new Set(indexed.filter((owner) => isIn(this.subagentByToolUseId(owner))))
    if (owners.size < 2) return [...owners][0]
    return this.#subagents.items.find(({ toolUseId }) => owners.has(toolUseId))?.toolUseId
  }

  #callIndex(): CallIndex {
    this.#calls ??= takeCallIndex(this.#base.subagents) ?? this.#indexedCalls()
    return this.#calls
  }

  #indexedCalls(): CallIndex {
    const index: CallIndex = new Map()
    for (const { toolUseId, blocks } of this.#subagents.items)
      for (const block of this.#opened.get(toolUseId)?.blocks.items ?? blocks)
        indexCall(index, toolUseId, block)
    return index
  }

  createSubagent(facts: StateFacts): SubagentThread {
    const state = subagentOf(facts)
    this.#subagents.append(state)
    return this.#open(state)
  }

  hasChildren(id: string): boolean {
    return !this.#subagents.inGroupFromEnd(parentIdOf, id).next().done
  }

  /** Makes each child of the first conversation a child of the second. */
  moveChildren(from: string, to: string): void {
    for (const { item } of this.#subagents.inGroup(parentIdOf, from))
      this.subagentByToolUseId(item.toolUseId)?.setParent(to)
  }

  /** Replaces the subagent by one with these facts and an empty conversation, also if the facts come with one. */
  replaceSubagent(subagent: SubagentThread, known: StateFacts & Partial<ConversationThread>): SubagentThread {
    const { blocks: _blocks, usage: _usage, todos: _todos, ...facts } = known
    const state = subagentOf(facts)
    const entry = this.#close(subagent)
    if (entry) this.#subagents.replace(entry.index, state)
    return this.#open(state)
  }

  removeSubagent(subagent: SubagentThread): void {
    const entry = this.#close(subagent)
    if (entry) this.#subagents.remove(entry.index)
  }

  /** Returns the state after the batch: the base itself if nothing has changed. */
  finish(): SessionConversationState {
    for (const subagent of this.#opened.values()) subagent.finish()
    const subagents = this.#subagents.finish()
    keepCallIndex(
      subagents,
      this.#calls ?? (subagents === this.#base.subagents ? undefined : takeCallIndex(this.#base.subagents)),
    )
    const branches = this.#finishBranches()
    const hasSameBranches = branches === this.#base.branches
    const state: SessionConversationState = {
      ...(hasSameBranches ? this.#base : withoutBranches(this.#base)),
      ...this.#main.finished(),
      turn: this.turn,
      subagents,
      session: this.session,
      ...(branches && { branches }),
    }
    return hasSameBranches && !hasChanges(this.#base, state) ? this.#base : Object.freeze(state)
  }

  #finishBranches(): readonly Branch[] | undefined {
    const branches = this.branches.finish()
    return branches.length > 0 || branches === this.#base.branches ? branches : undefined
  }

  /** Removes the subagent from the look-ups, and returns its entry in the list. */
  #close({ id }: SubagentThread): PlacedItem<SubagentState> | undefined {
    this.#opened.delete(id)
    return this.#subagents.find(id)
  }

  #open(state: SubagentState): SubagentThread {
    const thread = new SubagentThread(this.#subagents, state)
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
const NO_BRANCHES: readonly Branch[] = []
const OPEN = 'open'
const openGroup = (state: SubagentState): string | undefined => (hasEnded(state) ? undefined : OPEN)

function withoutBranches({ branches, ...base }: SessionConversationState): SessionConversationState {
  return base
}

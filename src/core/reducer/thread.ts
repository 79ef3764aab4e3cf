import type { Mutable } from '../json/fields.ts'
import { hasChanges, omitUndefined } from '../json/fields.ts'
import type { ConversationBlock } from '../state/block.ts'
import type { ConversationThread, MessageUsage, SubagentState } from '../state/session.ts'
import type { Todo } from '../state/todo.ts'
import { copyBlock } from './fast.ts'
import { OwnedList, type PlacedItem } from './owned-list.ts'

/** A conversation, main or a subagent's, that a batch changes. It makes each list at its first use, because most events concern one. */
export class Thread {
  /** `'main'` or the `toolUseId`. */
  readonly id: string
  readonly #base: ConversationThread
  #blocks: OwnedList<ConversationBlock> | undefined
  #usage: OwnedList<MessageUsage> | undefined
  todos: readonly Todo[] | undefined

  constructor(id: string, base: ConversationThread) {
    this.id = id
    this.#base = base
    this.todos = base.todos
  }

  get blocks(): OwnedList<ConversationBlock> {
    this.#blocks ??= new OwnedList(this.#base.blocks, idOf, copyOf)
    return this.#blocks
  }

  get usage(): OwnedList<MessageUsage> {
    this.#usage ??= new OwnedList(this.#base.usage, messageIdOf)
    return this.#usage
  }

  /** Returns the pending blocks, in order. */
  pendingBlocks(): readonly PlacedItem<ConversationBlock>[] {
    return this.blocks.inGroup(pendingGroup, PENDING)
  }

  /** Returns the first pending block that passes a test. */
  firstPendingBlock(isWanted: (block: ConversationBlock) => boolean): ConversationBlock | undefined {
    return this.blocks.firstInGroup(pendingGroup, PENDING, isWanted)
  }

  /** Returns the pending blocks, the last one first. */
  pendingFromEnd(): Iterable<ConversationBlock> {
    return this.blocks.fromEnd(pendingGroup, PENDING)
  }

  /** The blocks as the state holds them. */
  finishedBlocks(): readonly ConversationBlock[] {
    return this.#blocks?.finish() ?? this.#base.blocks
  }

  /** The tokens as the state holds them. */
  finishedUsage(): readonly MessageUsage[] {
    return this.#usage?.finish() ?? this.#base.usage
  }
}

// One function for all threads: V8 knows the shapes that a function has seen, and a new one has seen none.
const idOf = (block: ConversationBlock): string => block.id
const copyOf = <Block extends ConversationBlock>(block: Block): Mutable<Block> =>
  copyBlock(block, block.conversationId)
const messageIdOf = (entry: MessageUsage): string => entry.messageId

const PENDING = 'pending'
const pendingGroup = ({ status }: ConversationBlock): string | undefined =>
  status === PENDING ? PENDING : undefined

/** A subagent's state without its conversation. */
export type StateFacts = Omit<SubagentState, keyof ConversationThread>

/** A subagent's conversation together with its facts. */
export class SubagentThread extends Thread {
  readonly #subagents: OwnedList<SubagentState>
  #state: SubagentState

  constructor(subagents: OwnedList<SubagentState>, state: SubagentState) {
    super(state.toolUseId, state)
    this.#subagents = subagents
    this.#state = state
  }

  get facts(): StateFacts {
    return this.#state
  }

  update(facts: Partial<SubagentState>): void {
    if (hasChanges(this.#state, facts)) Object.assign(this.edit(), facts)
  }

  /** Adds facts that are not known yet. */
  fill(facts: Partial<StateFacts>): void {
    if (addsFields(this.#state, facts)) addFields(this.edit(), facts)
  }

  /** Removes facts that hold no longer. */
  forget(facts: { readonly [Name in 'runId' | 'openBlocks']?: undefined }): void {
    // V8 reads an object slowly after a `delete`.
    this.#state = omitUndefined({ ...this.#state, ...facts })
    this.#subagents.replace(this.#entry().index, this.#state)
  }

  /** Writes changed blocks and usage back to the list of subagents. */
  finish(): void {
    const [blocks, usage, { todos }] = [this.finishedBlocks(), this.finishedUsage(), this]
    const { blocks: before, usage: usageBefore, todos: todosBefore } = this.#state
    if (blocks === before && usage === usageBefore && todos === todosBefore) return
    const state = this.edit()
    state.blocks = blocks
    state.usage = usage
    if (todos) state.todos = todos
  }

  /** Returns the batch's own copy of the state, which the caller may change. */
  edit(): Mutable<SubagentState> {
    const state = this.#subagents.edit(this.#entry())
    this.#state = state
    return state
  }

  #entry(): PlacedItem<SubagentState> {
    const entry = this.#subagents.find(this.id)
    if (!entry) throw new RangeError(`no subagent ${this.id} in the batch`)
    return entry
  }
}

/** Adds the fields that the item lacks. */
function addFields<Item extends object>(item: Item, fields: Partial<Item>): void
function addFields(item: Record<string, unknown>, fields: Readonly<Record<string, unknown>>): void {
  for (const key in fields) item[key] ??= fields[key]
}

/** Whether the item lacks one of the fields. */
export function addsFields<Item extends object>(item: Item, fields: Partial<Item>): boolean {
  for (const key in fields) if (item[key] === undefined) return true
  return false
}

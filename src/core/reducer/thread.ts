import type { Mutable } from '../json/mutable.ts'
import { omitUndefined } from '../json/omit-undefined.ts'
import { hasChanges, withChanges } from '../json/with-changes.ts'
import { type BlockType, type ConversationBlock, messageIdOf as messageOf } from '../state/block.ts'
import type { ConversationThread, MessageUsage, SubagentState } from '../state/session.ts'
import { hasEnded } from '../state/subagent.ts'
import type { Todo } from '../state/todo.ts'
import { OwnedList, type PlacedItem } from './owned-list.ts'

/** A conversation, main or a subagent's, that a batch changes. */
export class Thread {
  /** `'main'` or the `toolUseId`. */
  readonly id: string
  readonly blocks: OwnedList<ConversationBlock>
  readonly usage: OwnedList<MessageUsage>
  todos: readonly Todo[] | undefined

  constructor(id: string, { blocks, usage, todos }: ConversationThread) {
    this.id = id
    this.blocks = new OwnedList(blocks, idOf)
    this.usage = new OwnedList(usage, messageIdOf)
    this.todos = todos
  }

  /** Returns the pending blocks, in order. */
  pendingBlocks(): readonly PlacedItem<ConversationBlock>[] {
    return this.blocks.inGroup(pendingGroup, PENDING)
  }

  /** Returns the blocks of a message of the model, in order. */
  blocksOfMessage(messageId: string): readonly PlacedItem<ConversationBlock>[] {
    return this.blocks.inGroup(messageOf, messageId)
  }

  /** Returns the blocks of a message of the model, the last one first. A message may have many. */
  messageFromEnd(messageId: string): Iterable<ConversationBlock> {
    return this.blocks.inGroupFromEnd(messageOf, messageId)
  }

  /** Returns the conversation as the state holds it. */
  finished(): ConversationThread {
    const { blocks, usage, todos } = this
    return { blocks: blocks.finish(), usage: usage.finish(), ...(todos && { todos }) }
  }
}

// One function for all threads: V8 knows the shapes that a function has seen, and a new one has seen none.
const idOf = (block: ConversationBlock): string => block.id
const messageIdOf = (entry: MessageUsage): string => entry.messageId

const PENDING = 'pending'
const pendingGroup = ({ status }: ConversationBlock): string | undefined =>
  status === PENDING ? PENDING : undefined
/** The groups of blocks by type. */
export const typeOf = ({ type }: ConversationBlock): BlockType => type
/** The groups of requests by call. */
export const requestGroup = (block: ConversationBlock): string | undefined =>
  block.type === 'request' ? block.toolUseId : undefined
export const FINAL = 'final'
/** The group of final blocks with a time that a stream and a file have at the same place. */
export const finalGroup = ({ type, status, timestamp }: ConversationBlock): string | undefined =>
  status === PENDING || timestamp === undefined || type === 'system' || type === 'request' ? undefined : FINAL
/** The groups of blocks by time. */
export const timeOf = ({ timestamp }: ConversationBlock): string | undefined => timestamp
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
    if (!hasChanges(this.#state, facts)) return
    // The batch finds the subagents that have not ended.
    const isOpened = hasEnded(this.#state) && !hasEnded({ ...this.#state, ...facts })
    if (isOpened) this.#replace(withChanges(this.#state, facts))
    else Object.assign(this.edit(), facts)
  }

  /** Adds facts that are not known yet. */
  fill(facts: Partial<StateFacts>): void {
    if (addsFields(this.#state, facts)) addFields(this.edit(), facts)
  }

  /** Sets the id by which the batch finds the subagent, too. */
  setAgentId(agentId: string): void {
    this.#replace(withChanges(this.#state, { agentId }))
  }

  /** Sets the conversation in which the batch finds the subagent, too. */
  setParent(parentConversationId: string): void {
    this.#replace(withChanges(this.#state, { parentConversationId }))
  }

  /** Removes facts that hold no longer. */
  forget(facts: { readonly [Name in 'runId' | 'openBlocks']?: undefined }): void {
    // V8 reads an object slowly after a `delete`.
    this.#replace(omitUndefined({ ...this.#state, ...facts }))
  }

  #replace(state: SubagentState): void {
    this.#subagents.replace(this.#entry().index, state)
    this.#state = state
  }

  /** Writes changed blocks and usage back to the list of subagents. */
  finish(): void {
    const { blocks, usage, todos } = this.finished()
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

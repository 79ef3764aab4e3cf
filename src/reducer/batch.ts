import {
  MAIN,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
} from '../state/session.ts'
import { type Found, OwnedList } from './owned-list.ts'
import { changes, type SubagentFacts, SubagentThread, Thread } from './thread.ts'

/**
 * A run of events over one state. It copies what it changes once and then changes its own copies, so a batch costs one
 * copy, whether it holds one event or a whole transcript. The base state is never touched.
 */
export class Batch {
  readonly #base: SessionConversationState
  readonly #main: Thread
  readonly #subagents: OwnedList<SubagentState>
  readonly #opened = new Map<string, SubagentThread>()
  #toolUseIds: Map<string, string> | undefined
  #children: Map<string, Set<string>> | undefined
  session: SessionFacts

  constructor(base: SessionConversationState) {
    this.#base = base
    this.#main = new Thread(MAIN, base)
    this.#subagents = new OwnedList(base.subagents, (subagent) => subagent.toolUseId)
    this.session = base.session
  }

  /** The conversation that the id stands for: main, else by `toolUseId`, else by `agentId`. */
  thread(id: string): Thread | undefined {
    return id === MAIN ? this.#main : this.subagent(id)
  }

  /** Like `thread`; an unknown subagent is created on sight, running. */
  threadOrCreated(id: string): Thread {
    return this.thread(id) ?? this.create({ toolUseId: id, status: 'running' })
  }

  /** The subagent by `toolUseId`, else by `agentId`. */
  subagent(id: string): SubagentThread | undefined {
    return this.subagentOfCall(id) ?? this.subagentOfAgent(id)
  }

  subagentOfCall(toolUseId: string): SubagentThread | undefined {
    const found = this.#opened.get(toolUseId)
    if (found) return found
    const state = this.#subagents.find(toolUseId)?.item
    return state && this.#open(state)
  }

  subagentOfAgent(agentId: string): SubagentThread | undefined {
    this.#toolUseIds ??= toolUseIdsByAgent(this.#subagents.items)
    const toolUseId = this.#toolUseIds.get(agentId)
    return toolUseId === undefined ? undefined : this.subagentOfCall(toolUseId)
  }

  create(facts: SubagentFacts): SubagentThread {
    const state: SubagentState = { ...facts, blocks: [], usage: [] }
    this.#subagents.append(state)
    return this.#open(state)
  }

  nameAgent(subagent: SubagentThread, agentId: string): void {
    subagent.update({ agentId })
    this.#toolUseIds?.set(agentId, subagent.id)
  }

  setParent(subagent: SubagentThread, parentId: string): void {
    subagent.update({ parentConversationId: parentId })
    if (this.#children) addChild(this.#children, parentId, subagent.id)
  }

  isParent(id: string): boolean {
    return !this.#childrenOf(id).next().done
  }

  /** Every subagent whose parent is the first conversation gets the second as its parent. */
  moveChildren(from: string, to: string): void {
    for (const child of this.#childrenOf(from)) this.setParent(child, to)
  }

  /** Puts a subagent with these facts and an empty conversation in the place of the first. */
  exchange(subagent: SubagentThread, facts: SubagentFacts): SubagentThread {
    const state: SubagentState = { ...facts, blocks: [], usage: [] }
    const found = this.#forget(subagent)
    if (found) this.#subagents.replace(found.at, state)
    if (facts.agentId !== undefined) this.#toolUseIds?.set(facts.agentId, facts.toolUseId)
    return this.#open(state)
  }

  remove(subagent: SubagentThread): void {
    const found = this.#forget(subagent)
    if (found) this.#subagents.remove(found.at)
  }

  /** The state after the batch: the base itself if nothing has changed. */
  finish(): SessionConversationState {
    for (const subagent of this.#opened.values()) subagent.finish()
    const state: SessionConversationState = {
      ...this.#base,
      blocks: this.#main.blocks.finish(),
      usage: this.#main.usage.finish(),
      subagents: this.#subagents.finish(),
      session: this.session,
    }
    return changes(this.#base, state) ? Object.freeze(state) : this.#base
  }

  *#childrenOf(id: string): Generator<SubagentThread, undefined> {
    this.#children ??= childrenByParent(this.#subagents.items)
    for (const childId of this.#children.get(id) ?? []) {
      const child = this.subagentOfCall(childId)
      // A child may have moved, or gone, since it was entered.
      if (child?.facts.parentConversationId === id) yield child
    }
  }

  /** The subagent is about to go, and its agent id does not stand for it any more; returns where it stands. */
  #forget({ id, facts: { agentId } }: SubagentThread): Found<SubagentState> | undefined {
    this.#opened.delete(id)
    if (agentId !== undefined && this.#toolUseIds?.get(agentId) === id) this.#toolUseIds.delete(agentId)
    return this.#subagents.find(id)
  }

  #open(state: SubagentState): SubagentThread {
    const thread = new SubagentThread(this.#subagents, state)
    this.#opened.set(thread.id, thread)
    return thread
  }
}

/** Agent ids are unique in a state that the reducer made; elsewhere the first one counts. */
function toolUseIdsByAgent(subagents: readonly SubagentState[]): Map<string, string> {
  const toolUseIds = new Map<string, string>()
  for (const { agentId, toolUseId } of subagents)
    if (agentId !== undefined && !toolUseIds.has(agentId)) toolUseIds.set(agentId, toolUseId)
  return toolUseIds
}

function childrenByParent(subagents: readonly SubagentState[]): Map<string, Set<string>> {
  const children = new Map<string, Set<string>>()
  for (const { parentConversationId, toolUseId } of subagents)
    if (parentConversationId !== undefined) addChild(children, parentConversationId, toolUseId)
  return children
}

function addChild(children: Map<string, Set<string>>, parentId: string, id: string): void {
  children.set(parentId, (children.get(parentId) ?? new Set<string>()).add(id))
}

import type { SessionEvent } from '../core/events/event.ts'
import { Batch } from '../core/reducer/batch.ts'
import { abandonedIds } from '../core/reducer/branches.ts'
import type { ReducerIssueCode } from '../core/reducer/issue.ts'
import { TAIL, tailIndex } from '../core/reducer/owned-list.ts'
import { applyEvent } from '../core/reducer/reduce.ts'
import { applySingleDelta } from '../core/reducer/single-delta.ts'
import type { StateFacts, Thread } from '../core/reducer/thread.ts'
import type { ConversationBlock } from '../core/state/block.ts'
import {
  type Branch,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../core/state/session.ts'
import { hasEnded } from '../core/state/subagent.ts'

/**
 * A state that a batch of messages changes. Most messages of a live stream are one delta, which needs no reducer's batch: look-ups near the end of
 * a list read the state itself. Anything else opens the batch.
 */
export class SessionDraft {
  #state: SessionConversationState
  #batch: Batch | undefined
  #hasDelta = false

  constructor(state: SessionConversationState) {
    this.#state = state
  }

  /** Main's turn and the facts of the session so far. */
  get current(): Pick<Batch, 'turn' | 'session'> {
    return this.#batch ?? this.#state
  }

  /** Main's abandoned branches so far. */
  get branches(): readonly Branch[] {
    return this.#batch?.branches.items ?? this.#state.branches ?? NO_BRANCHES
  }

  /** Whether the block, or a block of the message, is on an abandoned branch. */
  isAbandoned(id: string): boolean {
    const { branches } = this
    if (branches.length === 0) return false
    const { blocks, messages } = abandonedIds(branches)
    return blocks.has(id) || messages.has(id)
  }

  /** The facts of all subagents, in the order of their creation. */
  get subagents(): readonly StateFacts[] {
    return this.#batch?.subagents ?? this.#state.subagents
  }

  /** The facts of the subagents whose run has not ended by itself, in the order of their creation. */
  get openSubagents(): readonly StateFacts[] {
    const { subagents } = this.#state
    if (this.#batch || subagents.length > TAIL) return this.#open().openSubagents
    return subagents.filter((subagent) => !hasEnded(subagent))
  }

  /** Returns the last block with the id in a conversation. */
  findBlock(conversationId: string, blockId: string): ConversationBlock | undefined {
    return (
      this.#blockNearEnd(conversationId, blockId) ?? this.thread(conversationId)?.blocks.find(blockId)?.item
    )
  }

  /** Returns the facts of the subagent with the `toolUseId`. */
  subagentByToolUseId(toolUseId: string): StateFacts | undefined {
    if (this.subagents.length === 0) return undefined
    return this.#subagentNearEnd(toolUseId) ?? this.#open().subagentByToolUseId(toolUseId)?.facts
  }

  /** Returns the facts of the subagent with the `toolUseId`, or else of the one with the `agentId`. */
  subagent(id: string): StateFacts | undefined {
    if (this.subagents.length === 0) return undefined
    return this.#subagentNearEnd(id) ?? this.#agentOfFew(id) ?? this.#open().subagent(id)?.facts
  }

  /** Returns a conversation. */
  thread(conversationId: string): Thread | undefined {
    return this.#open().thread(conversationId)
  }

  /** Returns the id of the conversation that has such a block under one of the ids, as the batch does. */
  conversationWith(...wanted: Parameters<Batch['conversationWith']>): string | undefined {
    return this.#open().conversationWith(...wanted)
  }

  /** Applies an event. Returns why the reducer did not apply it, or a part of it. */
  apply(event: SessionEvent): ReducerIssueCode | undefined {
    // A second delta in the short way would copy the list of blocks once more.
    const state = this.#batch || this.#hasDelta ? undefined : applySingleDelta(this.#state, event)
    if (!state) return applyEvent(this.#open(), event)
    this.#state = state
    this.#hasDelta = true
    return undefined
  }

  /** Returns the state after all events: the same one if nothing has changed. */
  finish(): SessionConversationState {
    return this.#batch?.finish() ?? this.#state
  }

  #open(): Batch {
    this.#batch ??= new Batch(this.#state)
    return this.#batch
  }

  #blockNearEnd(conversationId: string, blockId: string): ConversationBlock | undefined {
    if (this.#batch) return undefined
    const { blocks = [] } =
      conversationId === MAIN ? this.#state : (this.#subagentNearEnd(conversationId) ?? {})
    return itemAt(blocks, tailIndex(blocks, 'id', blockId))
  }

  #subagentNearEnd(toolUseId: string): SubagentState | undefined {
    if (this.#batch) return undefined
    const { subagents } = this.#state
    return itemAt(subagents, tailIndex(subagents, 'toolUseId', toolUseId))
  }

  /** Returns the agent with the id, if there are so few that none of them has it as its `toolUseId`. */
  #agentOfFew(agentId: string): SubagentState | undefined {
    const { subagents } = this.#state
    if (this.#batch || subagents.length > TAIL) return undefined
    for (const subagent of subagents) if (subagent.agentId === agentId) return subagent
    return undefined
  }
}

const NO_BRANCHES: readonly Branch[] = []

/** V8 takes a slow path for a negative index. */
function itemAt<Item>(items: readonly Item[], index: number): Item | undefined {
  return index < 0 ? undefined : items[index]
}

import type { Batch } from '../core/reducer/batch.ts'
import { abandonedIds } from '../core/reducer/branches.ts'
import type { GroupOf } from '../core/reducer/owned-list.ts'
import { callBlockIds } from '../core/reducer/search-cache.ts'
import type { StateFacts } from '../core/reducer/thread.ts'
import {
  type BlockOf,
  type BlockType,
  type ConversationBlock,
  isCall,
  messageIdOf,
  subagentBlockId,
} from '../core/state/block.ts'
import { type Branch, MAIN, type MessageUsage, type SessionFacts } from '../core/state/session.ts'
import { hasEnded, isFinal } from '../core/state/subagent.ts'
import type { Todo } from '../core/state/todo.ts'
import type { SessionTurn } from '../core/state/turn.ts'

/** An agent as the state has it, without its conversation. */
export type AgentState = StateFacts

/**
 * The look-ups of a batch of messages. The result of a look-up belongs to the batch, and changes with the next event.
 * Read first what an event needs, and copy what goes into it.
 */
export class SessionLookups {
  readonly #draft: Batch

  constructor(draft: Batch) {
    this.#draft = draft
  }

  /** Main's turn. */
  get turn(): SessionTurn {
    return this.#draft.turn
  }

  /** The known facts of the session. */
  get facts(): SessionFacts {
    return this.#draft.session
  }

  /** The abandoned branches of main. */
  get branches(): readonly Branch[] {
    return this.#draft.branches.items
  }

  /** Whether the block, or a block of the message, is on an abandoned branch. */
  isAbandoned(id: string): boolean {
    const { branches } = this
    if (branches.length === 0) return false
    const { blocks, messages } = abandonedIds(branches)
    return blocks.has(id) || messages.has(id)
  }

  /** Returns the block of a conversation. */
  findBlock(conversationId: string, blockId: string): ConversationBlock | undefined {
    return this.#draft.thread(conversationId)?.blocks.find(blockId)?.item
  }

  /** Returns the block of a tool's call. */
  findCall(conversationId: string, toolUseId: string): BlockOf<'tool_use'> | undefined {
    const block = this.findBlock(conversationId, toolUseId)
    return block?.type === 'tool_use' ? block : undefined
  }

  /** Returns the block of an agent in the conversation of its call. A look-up takes time, and most sessions have no agents. */
  findAgentBlock(conversationId: string, toolUseId: string): ConversationBlock | undefined {
    if (this.#draft.subagents.length === 0) return undefined
    return this.findBlock(conversationId, subagentBlockId(toolUseId))
  }

  /** Returns the blocks of a conversation, in order. */
  blocksOf(conversationId: string): readonly ConversationBlock[] {
    return this.#draft.thread(conversationId)?.blocks.items ?? []
  }

  /** Returns the blocks of a conversation, the last one first. If blocks were removed before, it is cheaper than the list. */
  blocksFromEnd(conversationId: string): Iterable<ConversationBlock> {
    return this.#draft.thread(conversationId)?.blocks.fromEnd() ?? []
  }

  /** Returns the blocks of a conversation behind one of them, in order: all of them, if there is no block with the id. */
  *blocksBehind(conversationId: string, blockId: string): Generator<ConversationBlock, undefined> {
    // Reading all blocks first keeps the index right.
    const blocks = this.#draft.thread(conversationId)?.blocks
    if (blocks?.items) yield* this.blocksFrom(conversationId, (blocks.find(blockId)?.index ?? -1) + 1)
  }

  /** Returns the blocks of a conversation from that index on, in order. */
  *blocksFrom(conversationId: string, first: number): Generator<ConversationBlock, undefined> {
    const blocks = this.blocksOf(conversationId)
    for (let at = first; at < blocks.length; at += 1) {
      const block = blocks[at]
      if (block) yield block
    }
  }

  /** Returns the pending blocks of a conversation, in order. */
  pendingBlocks(conversationId: string): readonly ConversationBlock[] {
    return itemsOf(this.#draft.thread(conversationId)?.pendingBlocks())
  }

  /** Returns the first pending block of a conversation that passes a test. */
  firstPendingBlock(
    conversationId: string,
    isWanted: (block: ConversationBlock) => boolean,
  ): ConversationBlock | undefined {
    return this.#draft.thread(conversationId)?.firstPendingBlock(isWanted)
  }

  /** Returns the blocks of a group, in order. The first question for a grouping visits all blocks. */
  blocksIn(
    conversationId: string,
    groupOf: GroupOf<ConversationBlock>,
    group: string,
  ): readonly ConversationBlock[] {
    return itemsOf(this.#draft.thread(conversationId)?.blocks.inGroup(groupOf, group))
  }

  /** Returns the first block of a group that passes a test. A group may have many. */
  firstBlockIn(
    conversationId: string,
    groupOf: GroupOf<ConversationBlock>,
    group: string,
    isWanted?: (block: ConversationBlock) => boolean,
  ): ConversationBlock | undefined {
    return this.#draft.thread(conversationId)?.blocks.firstInGroup(groupOf, group, isWanted)
  }

  /** Returns the blocks of a group, the last one first. A group may have many. */
  groupFromEnd(
    conversationId: string,
    groupOf: GroupOf<ConversationBlock>,
    group: string,
  ): Iterable<ConversationBlock> {
    return this.#draft.thread(conversationId)?.blocks.fromEnd(groupOf, group) ?? []
  }

  /** Returns the blocks of a message of the model, in order. */
  blocksOfMessage(conversationId: string, messageId: string): readonly ConversationBlock[] {
    return this.blocksIn(conversationId, messageIdOf, messageId)
  }

  /** Returns the blocks of a message of the model, the last one first. */
  messageFromEnd(conversationId: string, messageId: string): Iterable<ConversationBlock> {
    return this.groupFromEnd(conversationId, messageIdOf, messageId)
  }

  /** Whether a message of the model has a block. */
  hasBlocks(conversationId: string, messageId: string): boolean {
    return this.firstBlockIn(conversationId, messageIdOf, messageId) !== undefined
  }

  /** Returns the requests of a call, in order. */
  requestsOfCall(conversationId: string, toolUseId: string): readonly BlockOf<'request'>[] {
    return this.blocksIn(conversationId, requestGroup, toolUseId).filter(isRequest)
  }

  /** Returns the blocks of a type in a conversation, the last one first. */
  typeFromEnd(conversationId: string, type: BlockType): Iterable<ConversationBlock> {
    return this.groupFromEnd(conversationId, typeOf, type)
  }

  /** Returns the id of the conversation that has the call of a tool or an agent: main, or else the first such subagent. */
  conversationOfCall(toolUseId: string): string | undefined {
    return this.#draft.conversationWith(callBlockIds(toolUseId), isCall)
  }

  /**
   * Returns the id of the conversation that has that block of a call, of a result or of a request: main, or else the
   * first such subagent.
   */
  conversationOfBlock(blockId: string): string | undefined {
    return this.#draft.conversationWith([blockId], Boolean)
  }

  /** Returns the facts of the agent with the `toolUseId`, or else of the one with the `agentId`. */
  findAgent(id: string): AgentState | undefined {
    return this.#draft.subagent(id)?.facts
  }

  /** Returns the facts of the agent that the call has started. */
  agentOfCall(toolUseId: string): AgentState | undefined {
    return this.#draft.subagentByToolUseId(toolUseId)?.facts
  }

  /** Returns the facts of all agents, in the order of their spawns. */
  agents(): readonly AgentState[] {
    return this.#draft.subagents
  }

  /** Returns the facts of the agents whose run has not ended, or only with the end of an input, in the order of their spawns. */
  openAgents(): readonly AgentState[] {
    return this.agentsIn(openGroup, OPEN)
  }

  /** Returns the first open agent that passes a test. A session may have many. */
  firstOpenAgent(isWanted?: (agent: AgentState) => boolean): AgentState | undefined {
    return this.firstAgentIn(openGroup, OPEN, isWanted)
  }

  /** Returns the open agents, the last one first. A session may have many. */
  openAgentsFromEnd(): Iterable<AgentState> {
    return this.#draft.subagentsFromEnd(openGroup, OPEN)
  }

  /** Returns the first agent of a group that passes a test. A group may have many. */
  firstAgentIn(
    groupOf: GroupOf<AgentState>,
    group: string,
    isWanted?: (agent: AgentState) => boolean,
  ): AgentState | undefined {
    return this.#draft.firstSubagentIn(groupOf, group, isWanted)
  }

  /** Returns the agents of a group, in the order of their spawns. */
  agentsIn(groupOf: GroupOf<AgentState>, group: string): readonly AgentState[] {
    return this.#draft.subagentsIn(groupOf, group)
  }

  /** Returns the first agent that a call with that prompt has started and whose own id is not known. Many calls may have one prompt. */
  firstAgentOfPrompt(prompt: string, isWanted?: (agent: AgentState) => boolean): AgentState | undefined {
    return this.firstAgentIn(promptGroup, prompt, isWanted)
  }

  /** Returns the ids of the agents that run or are announced, in the order of their spawns. */
  runningAgents(): readonly string[] {
    return this.openAgents().flatMap(({ toolUseId, status }) => (isFinal(status) ? [] : [toolUseId]))
  }

  /** Returns the tokens of a message. */
  usageOf(conversationId: string, messageId: string): MessageUsage | undefined {
    return this.#draft.thread(conversationId)?.usage.find(messageId)?.item
  }

  /** Returns the tokens of a conversation's messages, in order. */
  usagesOf(conversationId: string): readonly MessageUsage[] {
    return this.#draft.thread(conversationId)?.usage.items ?? []
  }

  /** Returns the plan of a conversation. */
  todosOf(conversationId: string): readonly Todo[] | undefined {
    return this.#draft.thread(conversationId)?.todos
  }

  /** Returns the blocks of a conversation that are pending, or that only the end of an input finalized. */
  openBlocks(conversationId: string): readonly ConversationBlock[] {
    const cut = this.cutBlocks(conversationId)
    const pending = this.pendingBlocks(conversationId)
    return cut.length > 0 ? [...cut, ...pending] : pending
  }

  /** Returns the blocks of a conversation that only the end of an input finalized. */
  cutBlocks(conversationId: string): readonly ConversationBlock[] {
    const ids = this.cutBlockIds(conversationId) ?? NO_IDS
    return ids.flatMap((id) => this.findBlock(conversationId, id) ?? [])
  }

  /** Returns the first of `openBlocks` that passes a test. Many calls may be open. */
  firstOpenBlock(
    conversationId: string,
    isWanted: (block: ConversationBlock) => boolean,
  ): ConversationBlock | undefined {
    return this.cutBlocks(conversationId).find(isWanted) ?? this.firstPendingBlock(conversationId, isWanted)
  }

  /** Returns the last of `openBlocks` that passes a test. Many calls may be open. */
  lastOpenBlock(
    conversationId: string,
    isWanted: (block: ConversationBlock) => boolean,
  ): ConversationBlock | undefined {
    for (const block of this.#draft.thread(conversationId)?.pendingFromEnd() ?? [])
      if (isWanted(block)) return block
    return this.cutBlocks(conversationId).findLast(isWanted)
  }

  /** Returns the ids of the blocks that the end of an input finalized. Undefined if no such end stopped the turn or the agent. */
  cutBlockIds(conversationId: string): readonly string[] | undefined {
    return conversationId === MAIN ? this.turn.openBlocks : this.findAgent(conversationId)?.openBlocks
  }

  /** Whether the block is pending, or the end of an input alone made it final. */
  isOpen(conversationId: string, blockId: string): boolean {
    if (this.findBlock(conversationId, blockId)?.status === 'pending') return true
    return this.cutBlockIds(conversationId)?.includes(blockId) === true
  }

  /** Whether the agent has not started yet, or had not when the end of an input ended it. */
  isAnnounced(toolUseId: string): boolean {
    const agent = this.findAgent(toolUseId)
    return agent !== undefined && isAnnounced(agent)
  }

  /** Whether the agent's run has ended, and not only with the end of an input. False for an unknown agent. */
  hasEnded(agentId: string): boolean {
    const agent = this.findAgent(agentId)
    return agent !== undefined && hasEnded(agent)
  }

  /** Whether the end of an input ended an agent that had not started. */
  wasAnnounced(toolUseId: string): boolean {
    return this.findAgent(toolUseId)?.openBlocks?.includes(subagentBlockId(toolUseId)) === true
  }
}

/** Whether the agent has not started yet, or had not when the end of an input ended it. */
export function isAnnounced({ toolUseId, status, openBlocks }: AgentState): boolean {
  return status === 'pending' || openBlocks?.includes(subagentBlockId(toolUseId)) === true
}

const NO_IDS: readonly string[] = []
const typeOf = ({ type }: ConversationBlock): BlockType => type
const requestGroup = (block: ConversationBlock): string | undefined =>
  block.type === 'request' ? block.toolUseId : undefined
const OPEN = 'open'
const openGroup = (agent: AgentState): string | undefined => (hasEnded(agent) ? undefined : OPEN)
const promptGroup = ({ agentId, prompt }: AgentState): string | undefined =>
  agentId === undefined ? prompt : undefined

function isRequest(block: ConversationBlock): block is BlockOf<'request'> {
  return block.type === 'request'
}

function itemsOf<Item>(entries: readonly { readonly item: Item }[] = []): readonly Item[] {
  return entries.map(({ item }) => item)
}

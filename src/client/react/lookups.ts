import { type ToolCall, toolCalls } from '../../core/selectors/find.ts'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'
import { openRequests, type PendingRequest, pendingRequests } from '../../core/selectors/requests.ts'
import { type AgentNode, buildSessionTree } from '../../core/selectors/tree.ts'
import type { BlockOf, ConversationBlock } from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import type { Todo } from '../../core/state/todo.ts'

/** Returns the session's agents as a tree. */
export const sessionTreeOf: (state: SessionConversationState) => AgentNode =
  /* @__PURE__ */ memoizeWeakly(buildSessionTree)

const indexSubagents = /* @__PURE__ */ memoizeWeakly((subagents: readonly SubagentState[]) => {
  const byId = new Map<string, SubagentState>()
  for (const subagent of subagents) if (!byId.has(subagent.toolUseId)) byId.set(subagent.toolUseId, subagent)
  // One string may be the call's id of one agent and the agent id of another. The call's id wins.
  for (const subagent of subagents)
    if (subagent.agentId !== undefined && !byId.has(subagent.agentId)) byId.set(subagent.agentId, subagent)
  return byId
})

const indexBlocks = /* @__PURE__ */ memoizeWeakly(
  (blocks: readonly ConversationBlock[]) => new Map(blocks.map(({ id }, at) => [id, at])),
)

/** Returns the subagent with that `toolUseId`, else the one with that `agentId`, like `findSubagent`. */
export function subagentOf(state: SessionConversationState, ref: string): SubagentState | undefined {
  return indexSubagents(state.subagents).get(ref)
}

/** Returns a conversation: main, or a subagent's by either of its ids. */
function threadOf(state: SessionConversationState, id: string): ConversationThread | undefined {
  return id === MAIN ? state : subagentOf(state, id)
}

/** Returns the blocks of a conversation. For an unknown conversation it returns the same empty list each time. */
export function blocksOf(
  state: SessionConversationState,
  conversationId: string,
): readonly ConversationBlock[] {
  return threadOf(state, conversationId)?.blocks ?? NO_BLOCKS
}

const NO_BLOCKS: readonly ConversationBlock[] = []

/** Returns an agent's plan. Without one it returns the same empty list each time, like `todos`. */
export function todosOf(state: SessionConversationState, conversationId: string): readonly Todo[] {
  return threadOf(state, conversationId)?.todos ?? NO_TODOS
}

const NO_TODOS: readonly Todo[] = []

/** Returns the open requests of all conversations: the same list for the same state. */
export const requestsOf: (state: SessionConversationState) => readonly PendingRequest[] =
  /* @__PURE__ */ memoizeWeakly(pendingRequests)

/** A tool call with its result, and the request that it waits for. */
export interface CallBlocks extends ToolCall {
  /** The open request that holds the call up. */
  readonly request?: BlockOf<'request'>
}

/** Returns the tool calls of a conversation by their ids. */
export const callsById: (blocks: readonly ConversationBlock[]) => ReadonlyMap<string, CallBlocks> =
  /* @__PURE__ */ memoizeWeakly((blocks: readonly ConversationBlock[]) => {
    const requests = new Map(openRequests(blocks).map((request) => [request.toolUseId, request]))
    return new Map(
      toolCalls({ blocks }).map((answered): [string, CallBlocks] => {
        const { toolUseId } = answered.call
        const request = requests.get(toolUseId)
        return [toolUseId, request ? { ...answered, request } : answered]
      }),
    )
  })

/** Returns the ids of the blocks: the same list for the same blocks. */
export const blockIdsOf: (blocks: readonly ConversationBlock[]) => readonly string[] =
  /* @__PURE__ */ memoizeWeakly((blocks: readonly ConversationBlock[]) => blocks.map(({ id }) => id))

/** Returns the index of the block, or -1. */
export function indexOfBlock(blocks: readonly ConversationBlock[], blockId: string): number {
  // A new block is usually the last one. The check saves building the index.
  if (blocks.at(-1)?.id === blockId) return blocks.length - 1
  return indexBlocks(blocks).get(blockId) ?? -1
}

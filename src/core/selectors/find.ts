import type { BlockOf, ConversationBlock } from '../state/block.ts'
import {
  type Branch,
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../state/session.ts'
import { memoizeWeakly } from './memoize.ts'

/** Returns the subagent with that `toolUseId`, else the one with that `agentId`. */
export function findSubagent(state: SessionConversationState, ref: string): SubagentState | undefined {
  return (
    state.subagents.find((subagent) => subagent.toolUseId === ref) ??
    state.subagents.find((subagent) => subagent.agentId === ref)
  )
}

/** Returns a conversation by its id: `'main'`, or either id of a subagent. */
export function findConversation(
  state: SessionConversationState,
  id: string,
): SessionConversationState | SubagentState | undefined {
  return id === MAIN ? state : findSubagent(state, id)
}

/** Returns the block with that id in that conversation. Block ids are unique only within a conversation. */
export function findBlock(
  state: SessionConversationState,
  conversationId: string,
  blockId: string,
): ConversationBlock | undefined {
  return findConversation(state, conversationId)?.blocks.find((block) => block.id === blockId)
}

/** A tool call with its result. The result is absent until the tool answers. */
export interface ToolCall {
  readonly call: BlockOf<'tool_use'>
  readonly result?: BlockOf<'tool_result'>
}

/** Returns a conversation's tool calls in order, each with its result. Calls that start a subagent are not included. */
export function toolCalls({ blocks }: Pick<ConversationThread, 'blocks'>): readonly ToolCall[] {
  const results = new Map<string, BlockOf<'tool_result'>>()
  for (const block of blocks) if (block.type === 'tool_result') results.set(block.toolUseId, block)
  return blocks.flatMap((call) => {
    if (call.type !== 'tool_use') return []
    const result = results.get(call.toolUseId)
    return [result ? { call, result } : { call }]
  })
}

/** Returns the ids of the calls that have a result. */
export const answeredCalls: (blocks: readonly ConversationBlock[]) => ReadonlySet<string> =
  /* @__PURE__ */ memoizeWeakly(
    (blocks) => new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? block.toolUseId : []))),
  )

/** Returns the branches that the person abandoned, in the order of the rewinds. The conversation itself is the active branch. */
export function branches(state: SessionConversationState): readonly Branch[] {
  return state.branches ?? NONE
}

const NONE: readonly Branch[] = []

import { addToList } from '../json/lists.ts'
import { type ConversationBlock, isCall, subagentBlockId } from '../state/block.ts'
import type { SubagentState } from '../state/session.ts'

/**
 * By the id of the block of a call, of its result or of a request, the subagents whose conversations can hold the
 * block: a forked agent repeats the calls of its parent. The block may be gone since.
 */
export type CallIndex = Map<string, string[]>

/** Adds the block to the index if it is a call, a result or a request. */
export function indexCall(index: CallIndex, conversationId: string, block: ConversationBlock): void {
  const { id, type } = block
  const isIndexed = isCall(block) || type === 'tool_result' || type === 'request'
  if (isIndexed && !index.get(id)?.includes(conversationId)) addToList(index, id, conversationId)
}

/** Returns the ids that the block of a call can have. */
export function callBlockIds(toolUseId: string): readonly string[] {
  return [toolUseId, subagentBlockId(toolUseId)]
}

/** The index of the newest list of subagents of each session, as the caches of lists. */
const indexes = new WeakMap<readonly SubagentState[], CallIndex>()

/** Returns the index beside a list, and takes it away from there, because the caller changes it. */
export function takeCallIndex(subagents: readonly SubagentState[]): CallIndex | undefined {
  const index = indexes.get(subagents)
  if (index) indexes.delete(subagents)
  return index
}

/** Puts the index beside the list that it belongs to. */
export function keepCallIndex(subagents: readonly SubagentState[], index: CallIndex | undefined): void {
  if (index) indexes.set(subagents, index)
}

import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { isEqual } from '../json/equal.ts'
import type { AgentNode } from '../selectors/tree.ts'
import type { ConversationBlock } from '../state/block.ts'
import { type ConversationThread, MAIN, type SubagentState } from '../state/session.ts'
import { useSessionContext } from './context.ts'
import { blocksIn, placeIn, subagentIn, treeIn } from './look-ups.ts'
import { type Selector, useSession } from './use-session.ts'

/**
 * Returns the conversation that the id stands for, `'main'` or a subagent's by either of its ids; of main its blocks and usage.
 * It changes with every delta: a long list is better shown with `useBlockIds` and `useBlock`.
 */
export function useConversation(conversationId: string): ConversationThread | undefined {
  const select = useMemo(() => conversationSelector(conversationId), [conversationId])
  return useSession(select, isSameThread)
}

/** Returns the ids of a conversation's blocks in their order; the same list as long as none comes, goes or moves. */
export function useBlockIds(conversationId: string): readonly string[] {
  const select = useMemo(() => idsSelector(conversationId), [conversationId])
  return useSession(select)
}

/** Returns the block with that id in that conversation; the component is rendered again when it changes, and for no other. */
export function useBlock(conversationId: string, blockId: string): ConversationBlock | undefined {
  const { store, serverState, blockListeners } = useSessionContext()
  const subscribe = useCallback(
    (listener: () => void) => blockListeners.subscribe(conversationId, blockId, listener),
    [blockListeners, conversationId, blockId],
  )
  const select = useMemo(() => blockSelector(conversationId, blockId), [conversationId, blockId])
  return useSyncExternalStore(
    subscribe,
    () => select(store.getState()),
    () => select(serverState),
  )
}

/** Returns the subagent with that `toolUseId`, else the one with that `agentId`. */
export function useSubagent(ref: string): SubagentState | undefined {
  const select = useMemo<Selector<SubagentState | undefined>>(() => (state) => subagentIn(state, ref), [ref])
  return useSession(select)
}

/** Returns the session's agents as a tree. An agent's last text is in it, which changes with each delta. */
export function useAgentTree(): AgentNode
/**
 * Returns what is selected from the tree of the session's agents, compared by value: who leaves the last text out is not rendered
 * with its deltas. Pass the same function each time.
 */
export function useAgentTree<Selected>(select: (tree: AgentNode) => Selected): Selected
export function useAgentTree(select: (tree: AgentNode) => unknown = whole): unknown {
  const selectTree = useMemo<Selector<unknown>>(() => (state) => select(treeIn(state)), [select])
  return useSession(selectTree, isEqual)
}

function whole(tree: AgentNode): AgentNode {
  return tree
}

function conversationSelector(conversationId: string): Selector<ConversationThread | undefined> {
  if (conversationId !== MAIN) return (state) => subagentIn(state, conversationId)
  return ({ blocks, usage }) => ({ blocks, usage })
}

/** A subagent has more than its thread, and is the same only as a whole. */
function isSameThread(left: ConversationThread | undefined, right: ConversationThread | undefined): boolean {
  if (left === right) return true
  if (!left || !right || 'toolUseId' in left || 'toolUseId' in right) return false
  return left.blocks === right.blocks && left.usage === right.usage
}

function idsSelector(conversationId: string): Selector<readonly string[]> {
  let last: readonly ConversationBlock[] = []
  let ids: readonly string[] = []
  return (state) => {
    const blocks = blocksIn(state, conversationId)
    if (!haveSameIds(last, blocks)) ids = blocks.map(({ id }) => id)
    last = blocks
    return ids
  }
}

/** With a delta all blocks but one are the same. */
function haveSameIds(left: readonly ConversationBlock[], right: readonly ConversationBlock[]): boolean {
  if (left === right) return true
  if (left.length !== right.length) return false
  return left.every((block, at) => block === right[at] || block.id === right[at]?.id)
}

/** A block stays where it was, nearly always, and is not searched for again. */
function blockSelector(conversationId: string, blockId: string): Selector<ConversationBlock | undefined> {
  let at = 0
  return (state) => {
    const blocks = blocksIn(state, conversationId)
    if (blocks[at]?.id !== blockId) at = placeIn(blocks, blockId)
    return blocks[at]
  }
}

import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { isEqual } from '../../core/json/equal.ts'
import { partialInput } from '../../core/selectors/call-input.ts'
import { costOf, modelOfMain, type Price, type SessionCost } from '../../core/selectors/cost.ts'
import { isSameList } from '../../core/selectors/memoize.ts'
import type { PendingRequest } from '../../core/selectors/requests.ts'
import { type SessionStatus, sessionStatus } from '../../core/selectors/status.ts'
import type { AgentNode } from '../../core/selectors/tree.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import {
  type ConversationThread,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import type { Todo } from '../../core/state/todo.ts'
import { useSessionContext, withKept } from './context.ts'
import {
  blockIdsOf,
  blocksOf,
  type CallBlocks,
  callsById,
  indexOfBlock,
  requestsOf,
  sessionTreeOf,
  subagentOf,
  todosOf,
} from './lookups.ts'

/** Returns the part of a session that a component needs. */
export type Selector<Selected> = (state: SessionConversationState) => Selected

/**
 * Returns the value that `select` takes from the session's state. The component renders again when `isEqual` finds
 * that the value changed. The default `isEqual` is `Object.is`; a selector that makes a new value each time needs
 * another one.
 */
export function useSession<Selected>(
  select: Selector<Selected>,
  isEqual: (left: Selected, right: Selected) => boolean = Object.is,
): Selected {
  const { store, getServerState } = useSessionContext()
  return useSelection(store.subscribe, store.getState, getServerState, select, isEqual)
}

/**
 * Returns a conversation by its id: `'main'`, or either id of a subagent. For main it returns the blocks and the
 * usage alone. The value changes with every delta, so use `useBlockIds` and `useBlock` for a long list.
 */
export function useConversation(conversationId: string): ConversationThread | undefined {
  const select = useMemo(() => conversationSelector(conversationId), [conversationId])
  return useSession(select, isSameThread)
}

/** Returns the ids of a conversation's blocks in order. The list changes only when a block appears, disappears or moves. */
export function useBlockIds(conversationId: string): readonly string[] {
  const select = useCallback<Selector<readonly string[]>>(
    (state) => blockIdsOf(blocksOf(state, conversationId)),
    [conversationId],
  )
  return useSession(select, isSameList)
}

/**
 * Returns a block of a conversation by its id. The hook renders its component again only when this block changes.
 * Wrap the component in `memo`, so that a new block in its list does not render it either.
 */
export function useBlock(conversationId: string, blockId: string): ConversationBlock | undefined {
  const { store, getServerState, blockListeners } = useSessionContext()
  const subscribe = useCallback(
    (listener: () => void) => blockListeners.subscribe(conversationId, blockId, listener),
    [blockListeners, conversationId, blockId],
  )
  const select = useMemo(() => blockSelector(conversationId, blockId), [conversationId, blockId])
  return useSelection(subscribe, store.getState, getServerState, select)
}

/** Returns the subagent with that `toolUseId`, else the one with that `agentId`. */
export function useSubagent(ref: string): SubagentState | undefined {
  const select = useCallback<Selector<SubagentState | undefined>>((state) => subagentOf(state, ref), [ref])
  return useSession(select)
}

/** Returns what the session does now, such as `'running'` or `'background'`. It changes with a turn, not with a delta. */
export function useSessionStatus(): SessionStatus {
  return useSession(sessionStatus)
}

/**
 * Returns the open requests of all conversations, like `pendingRequests`, and those whose form of `useRequestForm` a
 * person has touched and not closed. The list changes when a request opens, changes or closes.
 */
export function useRequests(): readonly PendingRequest[] {
  const { kept } = useSessionContext()
  const open = useSession(requestsOf, areSameRequests)
  const all = useSyncExternalStore(kept.subscribe, kept.get, kept.get)
  const shown = useMemo(() => withKept(open, all, kept.shown), [open, all, kept])
  useEffect(() => {
    kept.shown = shown
  }, [shown, kept])
  return shown
}

/** Returns the plan of main, or of the conversation with the id. It is empty if the agent made none. */
export function useTodos(conversationId: string = MAIN): readonly Todo[] {
  const select = useCallback<Selector<readonly Todo[]>>(
    (state) => todosOf(state, conversationId),
    [conversationId],
  )
  return useSession(select)
}

/** Returns the session's agents as a tree. The tree has each agent's last text, so it changes with each delta. */
export function useAgentTree(): AgentNode
/**
 * Returns the value that `select` takes from the tree of the session's agents. The component renders again when the
 * value changes by content, so a selection without the last text ignores deltas. Pass the same function each time.
 */
export function useAgentTree<Selected>(select: (tree: AgentNode) => Selected): Selected
export function useAgentTree(select: (tree: AgentNode) => unknown = wholeTree): unknown {
  const selectFromState = useCallback<Selector<unknown>>((state) => select(sessionTreeOf(state)), [select])
  return useSession(selectFromState, isEqual)
}

function wholeTree(tree: AgentNode): AgentNode {
  return tree
}

function conversationSelector(conversationId: string): Selector<ConversationThread | undefined> {
  if (conversationId !== MAIN) return (state) => subagentOf(state, conversationId)
  return ({ blocks, usage }) => ({ blocks, usage })
}

/** Compares main by its thread. A subagent has more fields than its thread, so only the same reference is equal. */
function isSameThread(left: ConversationThread | undefined, right: ConversationThread | undefined): boolean {
  if (left === right) return true
  if (!left || !right || 'toolUseId' in left || 'toolUseId' in right) return false
  return left.blocks === right.blocks && left.usage === right.usage
}

function areSameRequests(left: readonly PendingRequest[], right: readonly PendingRequest[]): boolean {
  const isSame = ({ conversationId, block }: PendingRequest, at: number) =>
    conversationId === right[at]?.conversationId && block === right[at]?.block
  return left === right || (left.length === right.length && left.every(isSame))
}

/** A block nearly always keeps its index, so the selector tries the last index before it searches. */
function blockSelector(conversationId: string, blockId: string): Selector<ConversationBlock | undefined> {
  let index = 0
  return (state) => {
    const blocks = blocksOf(state, conversationId)
    if (blocks[index]?.id !== blockId) index = indexOfBlock(blocks, blockId)
    return blocks[index]
  }
}

/**
 * Returns the value that `select` takes from a store's state. The component renders again when `isEqual` finds that
 * the value changed. An equal value keeps its reference, also when the component passes another `select`.
 */
function useSelection<State, Selected>(
  subscribe: (listener: () => void) => () => void,
  getState: () => State,
  getServerState: () => State,
  select: (state: State) => Selected,
  isEqual: (left: Selected, right: Selected) => boolean = Object.is,
): Selected {
  const shown = useRef<{ readonly value: Selected } | undefined>(undefined)
  const [getSelected, getServerSelected] = useMemo(() => {
    let last: { readonly state: State; readonly value: Selected } | undefined
    const selected = (state: State): Selected => {
      if (last && Object.is(last.state, state)) return last.value
      const known = last ?? shown.current
      const next = select(state)
      const value = known && isEqual(known.value, next) ? known.value : next
      last = { state, value }
      return value
    }
    return [() => selected(getState()), () => selected(getServerState())]
  }, [getState, getServerState, select, isEqual])
  const value = useSyncExternalStore(subscribe, getSelected, getServerSelected)
  useEffect(() => {
    shown.current = { value }
  }, [value])
  return value
}

/** A tool call with its result, the request that it waits for, and its input. */
export interface ToolCallState extends CallBlocks {
  /** The input as far as it is known, like `partialInput`. Undefined while no value has begun. */
  readonly input: unknown
}

/**
 * Returns a tool call of a conversation: `'main'`, or either id of a subagent. It is undefined if there is no such
 * call. The component renders again only when the call, its result or its open request changes.
 */
export function useToolCall(conversationId: string, toolUseId: string): ToolCallState | undefined {
  const { store, getServerState, blockListeners } = useSessionContext()
  const subscribe = useCallback(
    (listener: () => void) => blockListeners.subscribe(conversationId, toolUseId, listener),
    [blockListeners, conversationId, toolUseId],
  )
  const select = useCallback<Selector<CallBlocks | undefined>>(
    (state) => callsById(blocksOf(state, conversationId)).get(toolUseId),
    [conversationId, toolUseId],
  )
  const blocks = useSelection(subscribe, store.getState, getServerState, select, areSameBlocks)
  return useMemo(() => blocks && { ...blocks, input: partialInput(blocks.call) }, [blocks])
}

function areSameBlocks(left: CallBlocks | undefined, right: CallBlocks | undefined): boolean {
  return left?.call === right?.call && left?.result === right?.result && left?.request === right?.request
}

/**
 * Returns the cost of the session, like `costOf`. A delta changes no tokens, so it adds nothing up. Pass the same
 * `priceOf` each time, for example a function outside the component.
 */
export function useCost(priceOf: (model: string) => Price | undefined): SessionCost {
  const select = useMemo(() => costSelector(priceOf), [priceOf])
  return useSession(select, isEqual)
}

/** Returns a function that adds up the cost only if the tokens of a conversation have changed. */
export function costSelector(
  priceOf: (model: string) => Price | undefined,
): (state: SessionConversationState) => SessionCost {
  let last: { readonly state: SessionConversationState; readonly cost: SessionCost } | undefined
  return (state) => {
    const cost = last && hasSameTokens(last.state, state) ? last.cost : costOf(state, priceOf)
    last = { state, cost }
    return cost
  }
}

function hasSameTokens(before: SessionConversationState, after: SessionConversationState): boolean {
  if (before.usage !== after.usage || modelOfMain(before) !== modelOfMain(after)) return false
  if (before.subagents === after.subagents) return true
  if (before.subagents.length !== after.subagents.length) return false
  // `every` on a frozen list costs a multiple of this loop.
  for (let at = 0; at < after.subagents.length; at += 1)
    if (!isSameBill(after.subagents[at], before.subagents[at])) return false
  return true
}

function isSameBill(agent: SubagentState | undefined, before: SubagentState | undefined): boolean {
  if (agent === before) return true
  return (
    agent?.usage === before?.usage &&
    agent?.toolUseId === before?.toolUseId &&
    agent?.agentId === before?.agentId &&
    agent?.parentConversationId === before?.parentConversationId
  )
}

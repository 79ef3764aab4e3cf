import { useCallback, useMemo } from 'react'
import { partialInput } from '../../core/selectors/call-input.ts'
import { useSessionContext } from './context.ts'
import type { Selector } from './hooks.ts'
import { blocksOf, type CallBlocks, callsById } from './lookups.ts'
import { useSelection } from './use-selection.ts'

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

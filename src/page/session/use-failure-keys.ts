import { type ConversationBlock, findConversation, type SessionConversationState } from 'agentfold'
import { useSessionStore } from 'agentfold/react'
import { useEffect, useRef } from 'react'
import { compositeKey } from '../../core/json/lists.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { blocksInOrder } from '../search/search-blocks.ts'
import { deniedCalls } from '../tools/denied-calls.ts'
import { onKeys } from './shortcuts.ts'

/** `x` and `X` go to the next and the previous failure: an error, or a call or an agent that failed. */
export function useFailureKeys(): void {
  const store = useSessionStore()
  const navigator = useNavigator()
  const last = useRef<ConversationBlock>(undefined)
  useEffect(() => {
    const go = (by: 1 | -1) => () => {
      const failures = failuresIn(store.getState())
      const { id, conversationId } = last.current ?? {}
      const at = failures.findIndex((block) => block.id === id && block.conversationId === conversationId)
      const place = at === -1 ? (by === 1 ? 0 : failures.length - 1) : at + by
      const next = failures[(place + failures.length) % failures.length]
      if (!next) return
      last.current = next
      navigator.goToBlock(next.conversationId, next.id)
    }
    return onKeys({ x: go(1), X: go(-1) })
  }, [store, navigator])
}

function failuresIn(state: SessionConversationState): readonly ConversationBlock[] {
  const blocks = blocksInOrder(state)
  const keyOf = ({ conversationId }: ConversationBlock, toolUseId: string) =>
    compositeKey(conversationId, toolUseId)
  const failed = new Set(
    blocks.flatMap((block) =>
      block.type === 'tool_result' && block.isError ? keyOf(block, block.toolUseId) : [],
    ),
  )
  const isDenied = ({ conversationId }: ConversationBlock, toolUseId: string) =>
    deniedCalls(findConversation(state, conversationId)?.blocks ?? []).has(toolUseId)
  return blocks.filter((block) => {
    if (block.type === 'tool_use')
      return (
        (block.status === 'error' || failed.has(keyOf(block, block.toolUseId))) &&
        !isDenied(block, block.toolUseId)
      )
    return block.status === 'error' && (block.type === 'error' || block.type === 'subagent')
  })
}

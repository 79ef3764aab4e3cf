import type { ConversationBlock } from 'agentfold'
import { useSessionStore } from 'agentfold/react'
import { useCallback, useEffect, useRef } from 'react'
import { useNavigator } from '../rows/navigator.tsx'
import { failuresIn } from './failures.ts'
import { onKeys } from './shortcuts.ts'

/**
 * `x` and `X` go to the next and the previous failure: an error, or a call or an agent that failed. Returns the function
 * that goes to the next one.
 */
export function useFailureKeys(): () => void {
  const store = useSessionStore()
  const navigator = useNavigator()
  const last = useRef<ConversationBlock>(undefined)
  const go = useCallback(
    (by: 1 | -1) => {
      const failures = failuresIn(store.getState())
      const { id, conversationId } = last.current ?? {}
      const at = failures.findIndex((block) => block.id === id && block.conversationId === conversationId)
      const place = at === -1 ? (by === 1 ? 0 : failures.length - 1) : at + by
      const next = failures[(place + failures.length) % failures.length]
      if (!next) return
      last.current = next
      navigator.goToBlock(next.conversationId, next.id)
    },
    [store, navigator],
  )
  useEffect(() => onKeys({ x: () => go(1), X: () => go(-1) }), [go])
  return useCallback(() => go(1), [go])
}

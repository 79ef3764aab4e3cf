import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { useEffect, useRef } from 'react'
import { failureBlockId } from '../../core/selectors/failure.ts'
import { useNavigator } from '../rows/navigator.tsx'

/** Opens the page of a failed session at its failure, unless the address names a place. A session that fails later moves nothing. */
export function useOpenedAtFailure(): void {
  const navigator = useNavigator()
  const blockId = useSession(failureAtFirst)
  const isOpened = useRef(location.hash !== '')
  useEffect(() => {
    if (blockId === undefined || isOpened.current) return
    isOpened.current = true
    if (blockId !== '') navigator.openAt('main', blockId)
  }, [blockId, navigator])
}

/** Empty if the session has not failed. Undefined while there is no content. */
function failureAtFirst(state: SessionConversationState): string | undefined {
  return state.blocks.length === 0 ? undefined : (failureBlockId(state) ?? '')
}

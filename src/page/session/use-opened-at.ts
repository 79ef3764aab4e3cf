import { findConversation, type SessionConversationState, sessionStatus } from 'agentfold'
import { useSession } from 'agentfold/react'
import { useEffect, useRef } from 'react'
import { failureBlockId } from '../../core/selectors/failure.ts'
import { doingIn } from '../../core/selectors/status.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { fragmentOf, type PagePlace, placeIn } from '../rows/place.ts'

/**
 * Opens the page of a failed session at its failure, and that of one whose agent runs above others there, unless the
 * address names a place. A later change moves nothing.
 */
export function useOpenedAt(): void {
  const navigator = useNavigator()
  const fragment = useSession(placeAtFirst)
  const isOpened = useRef(location.hash !== '')
  useEffect(() => {
    if (fragment === undefined || isOpened.current) return
    isOpened.current = true
    const { conversationId = 'main', blockId } = placeIn(fragment) ?? {}
    if (blockId !== undefined) navigator.openAt(conversationId, blockId)
  }, [fragment, navigator])
}

/** Empty if the session has no such place. Undefined while there is no content. */
function placeAtFirst(state: SessionConversationState): string | undefined {
  if (state.blocks.length === 0) return undefined
  const failure = failureBlockId(state)
  const place = failure === undefined ? workAboveOthers(state) : { conversationId: 'main', blockId: failure }
  return place === undefined ? '' : fragmentOf(place)
}

/** Returns the place of the agent that runs, if later agents, which are over, stand between it and the end of the page. */
export function workAboveOthers(state: SessionConversationState): PagePlace | undefined {
  if (sessionStatus(state) !== 'running') return undefined
  let place: PagePlace | undefined
  let isAbove = false
  let conversationId = 'main'
  const seen = new Set<string>()
  while (!seen.has(conversationId)) {
    seen.add(conversationId)
    const blocks = findConversation(state, conversationId)?.blocks ?? []
    const { block } = doingIn(blocks) ?? {}
    if (block) place = { conversationId, blockId: block.id }
    if (block?.type !== 'subagent') break
    isAbove ||= blocks.findLast(({ type }) => type === 'subagent') !== block
    conversationId = block.toolUseId
  }
  return isAbove ? place : undefined
}

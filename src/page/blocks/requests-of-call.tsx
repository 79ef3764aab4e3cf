import { type ConversationBlock, findConversation } from 'agentfold'
import { type Selector, useBlock, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { addToList } from '../../core/json/lists.ts'
import { isSameList, memoizeWeakly } from '../../core/selectors/memoize.ts'
import { Request } from './request.tsx'

interface RequestsOfCallProps {
  readonly conversationId: string
  readonly toolUseId: string
}

/** The requests about a call, open and answered. They are parts of the call's block. */
export function RequestsOfCall({ conversationId, toolUseId }: RequestsOfCallProps): ReactNode {
  const select = useMemo<Selector<readonly string[]>>(
    () => (state) => idsByCall(findConversation(state, conversationId)?.blocks ?? []).get(toolUseId) ?? [],
    [conversationId, toolUseId],
  )
  const ids = useSession(select, isSameList)
  return ids.map((id) => <RequestOfCall key={id} conversationId={conversationId} id={id} />)
}

const idsByCall = memoizeWeakly((blocks: readonly ConversationBlock[]) => {
  const ids = new Map<string, string[]>()
  for (const block of blocks)
    if (block.type === 'request' && block.toolUseId !== undefined) addToList(ids, block.toolUseId, block.id)
  return ids
})

function RequestOfCall({
  conversationId,
  id,
}: {
  readonly conversationId: string
  readonly id: string
}): ReactNode {
  const block = useBlock(conversationId, id)
  return block?.type === 'request' && <Request block={block} />
}

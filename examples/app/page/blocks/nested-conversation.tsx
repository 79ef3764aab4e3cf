import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { BlockList } from './block-list.tsx'

const AncestorIds = createContext<readonly string[]>([])

/** A conversation within others. Bad data may put an agent below itself, which is not shown again there. */
export function NestedConversation({ conversationId }: { readonly conversationId: string }): ReactNode {
  const ancestors = useContext(AncestorIds)
  const inside = useMemo(() => [...ancestors, conversationId], [ancestors, conversationId])
  if (ancestors.includes(conversationId)) return <p className="note">The same agent as around this.</p>
  return (
    <AncestorIds.Provider value={inside}>
      {/* Screen readers do not announce the conversations of subagents. */}
      <div className="nested" aria-live="off">
        <BlockList conversationId={conversationId} />
      </div>
    </AncestorIds.Provider>
  )
}

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { BlockList } from './block-list.tsx'

const Around = createContext<readonly string[]>([])

/** A conversation within others. Bad data may hang an agent below itself: it is not shown again there. */
export function NestedConversation({ conversationId }: { readonly conversationId: string }): ReactNode {
  const around = useContext(Around)
  const inside = useMemo(() => [...around, conversationId], [around, conversationId])
  if (around.includes(conversationId)) return <p className="note">The same agent as around this.</p>
  return (
    <Around.Provider value={inside}>
      {/* What agents say to each other is not announced. */}
      <div className="nested" aria-live="off">
        <BlockList conversationId={conversationId} />
      </div>
    </Around.Provider>
  )
}

import { useRequests } from 'agentfold/react'
import type { ReactNode } from 'react'
import { useNavigator } from '../rows/navigator.tsx'

/** The open requests. The region is always there, so that screen readers announce a request of any agent when it appears. */
export function Waiting(): ReactNode {
  const requests = useRequests()
  const navigator = useNavigator()
  return (
    <section className="waiting-list" aria-label="Open requests" aria-live="assertive">
      {requests.map(({ conversationId, block }) => (
        <button
          key={`${conversationId} ${block.id}`}
          type="button"
          className="waiting-request"
          onClick={() => navigator.goToBlock(conversationId, block.id)}
        >
          <span className="note-name">Waiting for you</span>
          <span className="waiting-title">{block.title}</span>
        </button>
      ))}
    </section>
  )
}

import { useRequests } from 'agentfold/react'
import type { ReactNode } from 'react'
import { goToBlock } from './go-to-agent.ts'

/** The open requests. The region is always there, so that screen readers announce a request of any agent when it appears. */
export function Waiting(): ReactNode {
  const requests = useRequests()
  return (
    <section className="waiting-list" aria-label="Open requests" aria-live="assertive">
      {requests.map(({ conversationId, block }) => (
        <button
          key={`${conversationId} ${block.id}`}
          type="button"
          className="waiting-request"
          onClick={() => goToBlock(conversationId, block.id)}
        >
          <span className="note-name">Waits for you</span>
          <span className="waiting-title">{block.title}</span>
        </button>
      ))}
    </section>
  )
}

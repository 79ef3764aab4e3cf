import { useRequests } from 'agentfold/react'
import type { ReactNode } from 'react'
import type { PendingRequest } from '../../core/selectors/requests.ts'
import { showControls } from '../../redaction/printable.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { RequestedInput } from '../tools/requested-input.tsx'

/** The open requests. The region is always there, so that screen readers announce a request of any agent when it appears. */
export function Waiting(): ReactNode {
  const requests = useRequests()
  return (
    <section className="waiting-list" aria-label="Open requests" aria-live="assertive">
      {requests.map((request) => (
        <OpenRequest key={`${request.conversationId} ${request.block.id}`} request={request} />
      ))}
    </section>
  )
}

function OpenRequest({ request }: { readonly request: PendingRequest }): ReactNode {
  const { conversationId, block } = request
  const navigator = useNavigator()
  return (
    <div className="waiting-request">
      <button
        type="button"
        className="waiting-button"
        onClick={() => navigator.goToBlock(conversationId, block.id)}
      >
        <span className="note-name">Waiting for you</span>
        <span className="waiting-title">{showControls(block.title)}</span>
      </button>
      {block.kind === 'permission' && <Input request={request} />}
    </div>
  )
}

/** The command or call that runs if the person allows it. */
function Input({ request: { conversationId, block } }: { readonly request: PendingRequest }): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <div className="waiting-input" role="group" aria-label="To be allowed" tabIndex={0}>
      <RequestedInput conversationId={conversationId} block={block} />
    </div>
  )
}

import type { PendingRequest } from 'agentfold'
import { useRequests, useToolCall } from 'agentfold/react'
import type { ReactNode } from 'react'
import { toolKind } from '../../../../src/programs/tool-kind.ts'
import { showControls } from '../../../../src/sinks/markdown/text/lines.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { ToolInput } from '../tools/tool-input.tsx'

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

function OpenRequest({
  request: { conversationId, block },
}: {
  readonly request: PendingRequest
}): ReactNode {
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
      {block.kind === 'permission' && <Input conversationId={conversationId} toolUseId={block.toolUseId} />}
    </div>
  )
}

interface InputProps {
  readonly conversationId: string
  readonly toolUseId: string | undefined
}

/** What runs if the person allows it. The title may be the model's own words. */
function Input({ conversationId, toolUseId = '' }: InputProps): ReactNode {
  const { call, input } = useToolCall(conversationId, toolUseId) ?? {}
  if (!call) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <div className="waiting-input" role="group" aria-label="To be allowed" tabIndex={0}>
      <ToolInput input={input} kind={toolKind(call.toolName)} hasChanges={false} />
    </div>
  )
}

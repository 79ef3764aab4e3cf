import { omitUndefined } from '../../../json/omit-undefined.ts'
import { pendingRequests } from '../../../selectors/requests.ts'
import { sessionStatus } from '../../../selectors/status.ts'
import type { SessionConversationState } from '../../../state/session.ts'
import type { AgUiInterrupt } from '../../../wires/ag-ui/event.ts'
import { attribution, sessionWideId } from '../messages/ids.ts'

/** Returns the requests that a session waits for. */
export function interruptsOf(state: SessionConversationState): AgUiInterrupt[] {
  if (sessionStatus(state) !== 'waiting') return []
  return pendingRequests(state).map(({ conversationId, block }) => {
    const { id, kind: reason, title: message, toolUseId, options, questions } = block
    const toolCallId = toolUseId === undefined ? undefined : sessionWideId(conversationId, toolUseId)
    const metadata = omitUndefined({ options, questions, toolUseId })
    return {
      id: sessionWideId(conversationId, id),
      reason,
      message,
      ...omitUndefined({ toolCallId }),
      ...attribution(conversationId),
      metadata,
    }
  })
}

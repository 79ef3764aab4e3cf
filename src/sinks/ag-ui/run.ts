import { omitUndefined } from '../../core/json/fields.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import { sessionStatus } from '../../core/selectors/status.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { SessionTurn } from '../../core/state/turn.ts'
import type { AgUiEvent, AgUiInterrupt } from '../../wires/ag-ui/event.ts'
import { attribution, sessionWideId } from '../../wires/ag-ui/ids.ts'

/** A text or call that streams: the events that end it need its kind. */
export interface OpenStream {
  readonly kind: 'text' | 'reasoning' | 'call'
  /** The id of the message or of the call. */
  readonly id: string
  readonly conversationId: string
}

/** The run that is open. */
export interface OpenRun {
  readonly threadId: string
  readonly runId: string
  readonly streams: ReadonlyMap<string, OpenStream>
  /** The agents that run, in the order of their starts. */
  readonly agents: ReadonlySet<string>
  /** The agents that have ended within the run. An agent can start only once in a run. */
  readonly endedAgents: ReadonlySet<string>
}

/** The runs of a stream. */
export interface Runs {
  /** The number of runs so far. */
  readonly count: number
  readonly open?: OpenRun
  /** The turn whose end a run has reported. */
  readonly reported?: SessionTurn
}

/** Returns the key of a text or call among the open ones. */
export function streamKey({ kind, id }: OpenStream): string {
  return `${kind} ${id}`
}

/** Returns the events that end a text or call. */
export function endsOf({ kind, id, conversationId }: OpenStream): readonly AgUiEvent[] {
  const of = { messageId: id, ...attribution(conversationId) }
  if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', ...of }]
  if (kind === 'reasoning')
    return [
      { type: 'REASONING_MESSAGE_END', ...of },
      { type: 'REASONING_END', ...of },
    ]
  return [{ type: 'TOOL_CALL_END', toolCallId: id, ...attribution(conversationId) }]
}

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

import type { SessionConversationState } from '../../../state/session.ts'
import type { AgUiEvent } from '../../../wires/ag-ui/event.ts'
import type { AgUiMessage } from '../../../wires/ag-ui/message.ts'
import { toAgUiMessages } from '../messages/to-messages.ts'
import { PLACEHOLDER } from './placeholders.ts'

/** The client keeps activities that a snapshot leaves out, unless the snapshot says that it has all of them. */
const HAS_ALL = { '@ag-ui/client': { authoritativeActivityTypes: null } }

/** Returns the snapshot that replaces messages at their places. */
export function replaceMessages(state: SessionConversationState): AgUiEvent {
  return snapshot(toAgUiMessages(state))
}

/**
 * Returns the snapshots that remove messages or change their order. The client keeps the order of the messages that it has, so it must forget them
 * first. It also keeps reasoning, unless the snapshot has any: so the placeholder is reasoning at first, and then not.
 */
export function reorderMessages(state: SessionConversationState): readonly AgUiEvent[] {
  return [
    snapshot([{ id: PLACEHOLDER, role: 'reasoning', content: '' }]),
    snapshot([{ id: PLACEHOLDER, role: 'system', content: '' }]),
    snapshot(toAgUiMessages(state)),
  ]
}

function snapshot(messages: AgUiMessage[]): AgUiEvent {
  return { type: 'MESSAGES_SNAPSHOT', messages, metadata: HAS_ALL }
}

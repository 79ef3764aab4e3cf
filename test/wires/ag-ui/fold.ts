import { agUiSource } from '../../../src/entries/ag-ui.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'

/** Returns the state after the events of AG-UI: from the start, or from an earlier state. The input goes on. */
export function fold(events: readonly object[], before?: SessionConversationState): SessionConversationState {
  return agUiSource.read(agUiSource.open(before), events).session.state
}

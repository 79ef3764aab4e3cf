import { agUiSource } from '../../../src/ag-ui.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../src/index.ts'

/** Returns the state after the events of AG-UI: from the start, or from an earlier state. The input goes on. */
export function fold(events: readonly object[], before?: SessionConversationState): SessionConversationState {
  const memory = before ? agUiSource.resume(before) : agUiSource.initial
  const translated = agUiSource.translateAll(memory, events)
  return reduceSessionEvents(before ?? createInitialConversationState(), translated.events)
}

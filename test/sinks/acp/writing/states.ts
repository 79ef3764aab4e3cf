import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { stateOf as endOf, inputs } from '../../../wires/inputs.ts'

/** The state after each input of every recording. */
export const recordedStates: readonly { readonly name: string; readonly state: SessionConversationState }[] =
  inputs.map((input) => ({ name: input.name, state: endOf(input) }))

/** Returns the state after the events. */
export function stateOf(events: readonly SessionEvent[]): SessionConversationState {
  return reduceSessionEvents(createInitialConversationState(), events)
}

import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/index.ts'
import { inputs } from '../../../wires/inputs.ts'

/** The state after each input of every recording. */
export const recordedStates: readonly { readonly name: string; readonly state: SessionConversationState }[] =
  inputs.map(({ name, source, messages }) => {
    const { memory, events } = source.translateAll(source.initial, messages)
    return { name, state: stateOf([...events, ...source.end(memory).events]) }
  })

/** Returns the state after the events. */
export function stateOf(events: readonly SessionEvent[]): SessionConversationState {
  return reduceSessionEvents(createInitialConversationState(), events)
}

import type { OpencodeMemory } from '../../../src/formats/opencode/memory.ts'
import { opencodeSource } from '../../../src/formats/opencode/source.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../src/index.ts'
import { sharedState } from './stored.ts'

/** A state, and the memory of the source that goes on from it. */
export interface Joined {
  readonly state: SessionConversationState
  readonly memory: OpencodeMemory
}

export const nothing: Joined = { state: createInitialConversationState(), memory: opencodeSource.initial }

/** Reads one message. */
export function follow({ state, memory }: Joined, message: unknown): Joined {
  const translated = opencodeSource.translate(memory, message)
  return { state: reduceSessionEvents(state, translated.events), memory: translated.memory }
}

export const followAll = (start: Joined, messages: readonly unknown[]): Joined =>
  messages.reduce<Joined>(follow, start)

/** A way to go on after the history. */
export type Continuation = (history: Joined) => Joined

const ended = ({ state, memory }: Joined): SessionConversationState =>
  reduceSessionEvents(state, opencodeSource.end(memory).events)

/** The ways to go on: with the memory that reading left, or with one from the state alone; from the state as it is, or as its file ends. */
export const continuations: Readonly<Record<string, Continuation>> = {
  carried: (history) => history,
  resumed: ({ state }) => ({ state, memory: opencodeSource.resume(state) }),
  'carried after the end': (history) => ({ ...history, state: ended(history) }),
  'resumed after the end': (history) => {
    const state = ended(history)
    return { state, memory: opencodeSource.resume(state) }
  },
}

/** Returns the state at the end of the input, as far as live and stored sessions share it. */
export function finish({ state, memory }: Joined): object {
  const { events, ending } = opencodeSource.end(memory)
  return { ...sharedState(withoutLiveErrors(reduceSessionEvents(state, events))), ending }
}

/** Only the bus has the errors of a turn that had no message yet. They have the ids of their events. */
function withoutLiveErrors(state: SessionConversationState): SessionConversationState {
  return {
    ...state,
    blocks: state.blocks.filter(({ type, id }) => type !== 'error' || id.endsWith(':error')),
  }
}

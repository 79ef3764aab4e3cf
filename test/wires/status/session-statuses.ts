import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
  type Source,
  sessionStatus,
} from '../../../src/index.ts'

export type Message = Readonly<Record<string, unknown>>

/** Returns the state after each message, and at the end of the input. */
export function statesOf<Memory>(
  source: Source<Memory>,
  messages: readonly Message[],
): readonly SessionConversationState[] {
  const states: SessionConversationState[] = []
  let memory = source.initial
  for (const message of messages) {
    const translated = source.translate(memory, message)
    memory = translated.memory
    states.push(reduceSessionEvents(states.at(-1) ?? createInitialConversationState(), translated.events))
  }
  const last = states.at(-1) ?? createInitialConversationState()
  return [...states, reduceSessionEvents(last, source.end(memory).events)]
}

/** Returns the session's status after each message, and at the end of the input. */
export function statusesOf<Memory>(source: Source<Memory>, messages: readonly Message[]): readonly string[] {
  return statesOf(source, messages).map(sessionStatus)
}

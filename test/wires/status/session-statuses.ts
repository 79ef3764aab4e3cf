import { type SessionConversationState, sessionStatus } from '../../../src/entries/index.ts'
import type { Source } from '../../../src/entries/source-kit.ts'

export type Message = Readonly<Record<string, unknown>>

/** Returns the state after each message, and at the end of the input. */
export function statesOf(source: Source, messages: readonly Message[]): readonly SessionConversationState[] {
  let session = source.open()
  const states = messages.map((message) => {
    session = source.read(session, [message]).session
    return session.state
  })
  return [...states, source.end(session).session.state]
}

/** Returns the session's status after each message, and at the end of the input. */
export function statusesOf(source: Source, messages: readonly Message[]): readonly string[] {
  return statesOf(source, messages).map(sessionStatus)
}

import { asObject, isObject } from '../../../json/values.ts'
import type { OpencodeContext } from '../context.ts'
import { type SessionPlace, sessionOf } from '../events/session.ts'
import { noteError, turnAfterError } from './error.ts'
import { setTurn } from './known-message.ts'
import { errorId } from './message.ts'
import { noteRetry } from './note.ts'

/** What a session is doing: busy, idle, or waiting to try again. */
export function translateStatus(place: SessionPlace, status: unknown, translation: OpencodeContext): void {
  const { type, message, attempt, next } = asObject(status)
  if (type === 'idle') return becomeIdle(place, translation)
  const id = type === 'retry' ? noteId(place, translation) : undefined
  if (id === undefined) return
  noteRetry(place.conversationId, { id, message, data: { attempt, next } }, translation)
}

/** A session is at rest; the last updates of what was going on may come after that. */
export function becomeIdle({ conversationId }: SessionPlace, translation: OpencodeContext): void {
  translation.emit({ type: 'session:idle', conversationId })
}

/** A session's turn failed or was stopped. The message that it ended says so too, if there is one. */
export function translateError(place: SessionPlace, error: unknown, translation: OpencodeContext): void {
  const { sessionId, conversationId } = place
  const noted = isObject(error) ? noteId(place, translation) : undefined
  if (!isObject(error) || noted === undefined) return
  const { openMessage } = sessionOf(sessionId, translation)
  const id = openMessage === undefined ? noted : errorId(openMessage)
  noteError(error, { conversationId, id }, translation)
  setTurn(place, turnAfterError(error), translation)
}

/** An id for what the event says, the event's own or else the next number; undefined if it has been said before. */
function noteId({ eventId }: SessionPlace, translation: OpencodeContext): string | undefined {
  const { noted, unnamedEvents } = translation.memory
  if (eventId === undefined) {
    translation.remember({ unnamedEvents: unnamedEvents + 1 })
    return `unnamed:${unnamedEvents}`
  }
  if (noted.get(eventId) !== undefined) return undefined
  translation.remember({ noted: noted.with(eventId, eventId) })
  return eventId
}

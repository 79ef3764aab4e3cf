import { fields, isObject, text } from '../../state/json.ts'
import { MAIN } from '../../state/session.ts'
import { isAborted, noteError } from './error.ts'
import { errorId } from './message.ts'
import { type SessionPlace, sessionOf } from './session.ts'
import type { Translation } from './translation.ts'

/** What a session is doing: busy, idle, or waiting to try again. */
export function translateStatus(place: SessionPlace, status: unknown, translation: Translation): void {
  const { type, message, attempt, next } = fields(status)
  const { conversationId } = place
  if (type === 'idle') return becomeIdle(place, translation)
  if (type !== 'retry') return
  translation.upsert(conversationId, {
    type: 'system',
    id: eventIdOf(place, translation),
    status: 'complete',
    subtype: 'retry',
    message: text(message) ?? 'the request is made again',
    data: { attempt, next },
  })
}

/** A session is at rest; the last updates of what was going on may come after that. */
export function becomeIdle({ conversationId }: SessionPlace, translation: Translation): void {
  translation.emit({ type: 'session:idle', conversationId })
}

/** A session's turn failed or was stopped. The message that it ended says so too, if there is one. */
export function translateError(place: SessionPlace, error: unknown, translation: Translation): void {
  const { sessionId, conversationId } = place
  if (!isObject(error)) return
  const { openMessage } = sessionOf(sessionId, translation)
  const id = openMessage === undefined ? eventIdOf(place, translation) : errorId(openMessage)
  noteError(error, { conversationId, id }, translation)
  if (conversationId === MAIN) translation.remember({ turn: isAborted(error) ? 'interrupted' : 'answered' })
}

/** The event's own id, or the next number where it has none. */
function eventIdOf({ eventId }: SessionPlace, translation: Translation): string {
  if (eventId !== undefined) return eventId
  const { unnamedEvents } = translation.memory
  translation.remember({ unnamedEvents: unnamedEvents + 1 })
  return `unnamed:${unnamedEvents}`
}

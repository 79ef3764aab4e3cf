import { fields, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { BOOK_KEEPING } from './book-keeping.ts'
import type { BusEvent } from './event.ts'
import type { MessageRef, PartUpdate } from './known-message.ts'
import { removeMessage, translateMessage } from './message.ts'
import { removePart, translateDelta, translatePart } from './part.ts'
import { answerRequest, askPerson } from './request.ts'
import { conversationOf, learnSession, type SessionPlace, translateSession } from './session.ts'
import { becomeIdle, translateError, translateStatus } from './status.ts'
import type { Translation } from './translation.ts'

/** Finds out which conversation an event belongs to, and translates it there. */
export function translateEvent({ id, type, properties }: BusEvent, translation: Translation): void {
  if (BOOK_KEEPING.has(type)) return
  const sessionId = sessionIdOf(properties)
  if (type === 'session.created' || type === 'session.updated')
    learnSession(sessionId, fields(properties.info), translation)
  const conversationId = conversationOf(sessionId, translation)
  if (conversationId === undefined) return translation.report('other-session', type)
  const place = known({ sessionId, conversationId, eventId: id })
  translateInSession(place, { type, properties }, translation)
}

/** Older versions name the session only in what the event brings. */
function sessionIdOf({ sessionID, info, part }: JsonObject): string {
  return (
    text(sessionID) ??
    text(fields(part).sessionID) ??
    text(fields(info).sessionID) ??
    text(fields(info).id) ??
    ''
  )
}

function translateInSession(
  place: SessionPlace,
  { type, properties }: BusEvent,
  translation: Translation,
): void {
  const { conversationId } = place
  switch (type) {
    case 'session.created':
    case 'session.updated':
      return translateSession(place, fields(properties.info), translation)
    case 'session.status':
      return translateStatus(place, properties.status, translation)
    case 'session.idle':
      return becomeIdle(place, translation)
    case 'session.error':
      return translateError(place, properties.error, translation)
    case 'message.updated':
      return translateMessage(
        messageRef(place, fields(properties.info).id),
        fields(properties.info),
        translation,
      )
    case 'message.removed':
      return removeMessage(messageRef(place, properties.messageID), translation)
    case 'message.part.updated':
      return translateUpdate(place, fields(properties.part), translation)
    case 'message.part.delta':
      return translateDelta(messageRef(place, properties.messageID), deltaOf(place, properties), translation)
    case 'message.part.removed':
      return removePart(messageRef(place, properties.messageID), text(properties.partID) ?? '', translation)
    case 'permission.asked':
    case 'permission.updated':
      return askPerson({ kind: 'permission', conversationId, properties }, translation)
    case 'permission.replied':
      return answerRequest({ kind: 'permission', conversationId, properties }, translation)
    case 'question.asked':
      return askPerson({ kind: 'question', conversationId, properties }, translation)
    case 'question.replied':
    case 'question.rejected':
      return answerRequest({ kind: 'question', conversationId, properties }, translation)
    default:
      translation.report('unknown-message', type)
  }
}

function messageRef({ sessionId, conversationId }: SessionPlace, messageId: unknown): MessageRef {
  return { sessionId, conversationId, messageId: text(messageId) ?? '' }
}

function translateUpdate(place: SessionPlace, part: JsonObject, translation: Translation): void {
  const { eventId } = place
  const update: PartUpdate = known({ part, id: text(part.id) ?? '', eventId })
  translatePart(messageRef(place, part.messageID), update, translation)
}

function deltaOf({ eventId }: SessionPlace, properties: JsonObject): PartUpdate {
  return known({ part: properties, id: text(properties.partID) ?? '', eventId })
}

import { fields, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { type Tasks, workOff } from '../tasks.ts'
import { BOOK_KEEPING } from './book-keeping.ts'
import type { BusEvent } from './event.ts'
import { translateSession } from './facts.ts'
import { holdEvent, releaseHeld } from './held.ts'
import type { MessageRef, PartUpdate } from './known-message.ts'
import { removeMessage, translateMessage } from './message.ts'
import { removePart, translateDelta, translatePart } from './part.ts'
import { answerRequest, askPerson } from './request.ts'
import { conversationOf, ELSEWHERE, learnSession, meetSession, NOBODY, type SessionPlace } from './session.ts'
import { becomeIdle, translateError, translateStatus } from './status.ts'
import type { Translation } from './translation.ts'

/** Translates an event, and those that have waited for what it tells. */
export function translateEvent(event: BusEvent, translation: Translation): void {
  workOff(() => (placeEvent(event, translation) ? [() => heldTasks(translation)] : []))
}

/** Translates the events that wait for nothing any more. */
export function translateHeld(translation: Translation): void {
  workOff(() => heldTasks(translation))
}

function heldTasks(translation: Translation): Tasks {
  const events = releaseHeld(translation)
  if (events.length === 0) return []
  const others = () => heldTasks(translation)
  return [...events.map((event) => () => (placeEvent(event, translation) ? [others] : [])), others]
}

/**
 * Finds out which conversation an event belongs to, and translates it there; while nothing tells, the event waits. Whether it
 * may tell something that others wait for.
 */
function placeEvent(event: BusEvent, translation: Translation): boolean {
  const { type, properties } = event
  if (BOOK_KEEPING.has(type)) return false
  const translateIn = translatorOf(event)
  if (!translateIn) {
    translation.report('unknown-message', type)
    return false
  }
  const sessionId = sessionIdOf(properties)
  const isTold = event.isRoot === true || type === 'session.created' || type === 'session.updated'
  if (isTold) learnSession(sessionId, fields(properties.info), translation)
  const conversationId = conversationOf(sessionId, translation.memory)
  if (conversationId === undefined) holdEvent(sessionId, event, translation)
  if (conversationId === ELSEWHERE) translation.report('other-session', type)
  if (typeof conversationId !== 'string') return false
  if (type.startsWith('message.')) meetSession(sessionId, translation)
  const { callIds } = translation.memory
  translateIn(known({ sessionId, conversationId, eventId: event.id }), translation)
  return isTold || callIds !== translation.memory.callIds
}

/** Older versions name the session only in what the event brings. */
function sessionIdOf({ sessionID, info, part }: JsonObject): string {
  const { sessionID: ofInfo, id } = fields(info)
  return text(sessionID) ?? text(fields(part).sessionID) ?? text(ofInfo) ?? text(id) ?? NOBODY
}

type Translator = (place: SessionPlace, translation: Translation) => void

function translatorOf({ type, properties }: BusEvent): Translator | undefined {
  const { status, error, messageID, partID } = properties
  const [info, part] = [fields(properties.info), fields(properties.part)]
  switch (type) {
    case 'session.created':
    case 'session.updated':
      return (place, to) => translateSession(place, info, to)
    case 'session.status':
      return (place, to) => translateStatus(place, status, to)
    case 'session.idle':
      return becomeIdle
    case 'session.error':
      return (place, to) => translateError(place, error, to)
    case 'message.updated':
      return (place, to) => translateMessage(messageIn(place, info.id), info, to)
    case 'message.removed':
      return (place, to) => removeMessage(messageIn(place, messageID), to)
    case 'message.part.updated':
      return (place, to) => translatePart(messageIn(place, part.messageID), partIn(place, part, part.id), to)
    case 'message.part.delta':
      return (place, to) => translateDelta(messageIn(place, messageID), partIn(place, properties, partID), to)
    case 'message.part.removed':
      return (place, to) => removePart(messageIn(place, messageID), text(partID) ?? '', to)
    case 'permission.asked':
    case 'permission.updated':
    case 'question.asked':
      return (place, to) => askPerson(place, { type, properties }, to)
    case 'permission.replied':
    case 'question.replied':
    case 'question.rejected':
      return (place, to) => answerRequest(place, { type, properties }, to)
    default:
      return undefined
  }
}

function messageIn({ sessionId, conversationId }: SessionPlace, messageId: unknown): MessageRef {
  return { sessionId, conversationId, messageId: text(messageId) ?? '' }
}

function partIn({ eventId }: SessionPlace, part: JsonObject, id: unknown): PartUpdate {
  return known({ part, id: text(id) ?? '', eventId })
}

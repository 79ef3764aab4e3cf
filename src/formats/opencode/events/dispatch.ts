import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { drain, type WorkQueue } from '../../translation/work-queue.ts'
import type { MessageRef, PartUpdate } from '../blocks/known-message.ts'
import { removeMessage, translateMessage } from '../blocks/message.ts'
import { removePart, translateDelta, translatePart } from '../blocks/part.ts'
import { answerRequest, askPerson } from '../blocks/request.ts'
import { becomeIdle, translateError, translateStatus } from '../blocks/status.ts'
import type { OpencodeContext } from '../context.ts'
import { holdEvent, releaseHeld } from './buffered-events.ts'
import type { BusEvent } from './event.ts'
import { translateSession } from './facts.ts'
import { BOOK_KEEPING } from './ignored-types.ts'
import { conversationOf, ELSEWHERE, learnSession, meetSession, NOBODY, type SessionPlace } from './session.ts'

/** Translates an event, and those that have waited for what it tells. */
export function translateEvent(event: BusEvent, translation: OpencodeContext): void {
  drain(() => (placeEvent(event, translation) ? [() => heldTasks(translation)] : []))
}

/** Translates the events that wait for nothing any more. */
export function translateHeld(translation: OpencodeContext): void {
  drain(() => heldTasks(translation))
}

function heldTasks(translation: OpencodeContext): WorkQueue {
  const events = releaseHeld(translation)
  if (events.length === 0) return []
  const others = () => heldTasks(translation)
  return [...events.map((event) => () => (placeEvent(event, translation) ? [others] : [])), others]
}

/**
 * Finds out which conversation an event belongs to, and translates it there; while nothing tells, the event waits. Whether it
 * may tell something that others wait for.
 */
function placeEvent(event: BusEvent, translation: OpencodeContext): boolean {
  const { type, properties } = event
  if (BOOK_KEEPING.has(type)) return false
  const translateIn = translatorOf(event)
  if (!translateIn) {
    translation.reportUnknown('unknown-message', type)
    return false
  }
  const sessionId = sessionIdOf(properties)
  const isTold = event.isRoot === true || type === 'session.created' || type === 'session.updated'
  if (isTold) learnSession(sessionId, asObject(properties.info), translation)
  const conversationId = conversationOf(sessionId, translation.memory)
  if (conversationId === undefined) holdEvent(sessionId, event, translation)
  if (conversationId === ELSEWHERE) translation.reportUnknown('other-session', type)
  if (typeof conversationId !== 'string') return false
  if (type.startsWith('message.')) meetSession(sessionId, translation)
  const { callIds } = translation.memory
  translateIn(omitUndefined({ sessionId, conversationId, eventId: event.id }), translation)
  return isTold || callIds !== translation.memory.callIds
}

/** Older versions name the session only in what the event brings. */
function sessionIdOf({ sessionID, info, part }: JsonObject): string {
  const { sessionID: ofInfo, id } = asObject(info)
  return (
    asString(sessionID) ?? asString(asObject(part).sessionID) ?? asString(ofInfo) ?? asString(id) ?? NOBODY
  )
}

type Translator = (place: SessionPlace, translation: OpencodeContext) => void

function translatorOf({ type, properties }: BusEvent): Translator | undefined {
  const { status, error, messageID, partID } = properties
  const [info, part] = [asObject(properties.info), asObject(properties.part)]
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
      return (place, to) => removePart(messageIn(place, messageID), asString(partID) ?? '', to)
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
  return { sessionId, conversationId, messageId: asString(messageId) ?? '' }
}

function partIn({ eventId }: SessionPlace, part: JsonObject, id: unknown): PartUpdate {
  return omitUndefined({ part, id: asString(id) ?? '', eventId })
}

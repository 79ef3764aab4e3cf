import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { BusEvent } from '../events/event.ts'
import { IGNORED_TYPES } from '../events/ignored-types.ts'
import type { OpencodeMemory } from '../memory.ts'
import type { EventPlace } from './event-place.ts'
import { locateSession, NO_SESSION } from './session-location.ts'
import { type Translator, translatorOf } from './translators.ts'

/** The next step of an event. */
export type Route =
  | { readonly type: 'ignore'; readonly reason: IgnoreReason }
  /** The conversation of the event's session is not known yet. */
  | { readonly type: 'buffer'; readonly sessionId: string }
  | { readonly type: 'translate'; readonly place: EventPlace; readonly translator: Translator }

/**
 * - `ignored-type`: the type adds nothing to a conversation
 * - `unknown-type`: the source does not know the type
 * - `other-session`: the event belongs to another session tree
 */
export type IgnoreReason = 'ignored-type' | 'unknown-type' | 'other-session'

/** Returns the next step of an event, by its type and the sessions that are known so far. */
export function routeEvent({ id, type, properties }: BusEvent, memory: OpencodeMemory): Route {
  if (IGNORED_TYPES.has(type)) return { type: 'ignore', reason: 'ignored-type' }
  const translator = translatorOf(type)
  if (!translator) return { type: 'ignore', reason: 'unknown-type' }
  const sessionId = sessionIdOf(properties)
  const location = locateSession(sessionId, memory)
  if (location.type === 'other-session') return { type: 'ignore', reason: 'other-session' }
  if (location.type === 'unknown') return { type: 'buffer', sessionId }
  const place = { sessionId, conversationId: location.conversationId, eventId: id }
  return { type: 'translate', place, translator }
}

/** Returns the message id of a message's event. */
export function messageIdOf({ messageID, info, part }: JsonObject): string | undefined {
  return asString(messageID) ?? asString(asObject(part).messageID) ?? asString(asObject(info).id)
}

/** Returns the session id of an event. Older versions of OpenCode name the session only inside `info` or `part`. */
export function sessionIdOf({ sessionID, info, part }: JsonObject): string {
  const { sessionID: sessionOfInfo, id } = asObject(info)
  return (
    asString(sessionID) ??
    asString(asObject(part).sessionID) ??
    asString(sessionOfInfo) ??
    asString(id) ??
    NO_SESSION
  )
}

import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { NO_SESSION } from './session-location.ts'

/** Returns the message id of a message's event. */
export function messageIdOf({ messageID, info, part }: JsonObject): string | undefined {
  if (typeof messageID === 'string') return messageID
  const ofPart = isObject(part) ? asString(part.messageID) : undefined
  return ofPart ?? (isObject(info) ? asString(info.id) : undefined)
}

/** Returns the session id of an event. Older versions of OpenCode name the session only inside `info` or `part`. */
export function sessionIdOf({ sessionID, info, part }: JsonObject): string {
  if (typeof sessionID === 'string') return sessionID
  const { sessionID: sessionOfInfo, id } = asObject(info)
  return asString(asObject(part).sessionID) ?? asString(sessionOfInfo) ?? asString(id) ?? NO_SESSION
}

import { isObject, type JsonObject } from '../../../json/values.ts'

/** A message with its parts, as the server and `opencode export` return it. */
interface StoredMessage {
  readonly info: JsonObject
  readonly parts: readonly unknown[]
}

/** Whether the value is a stored message. */
export function isStoredMessage(value: unknown): value is StoredMessage {
  return (
    isObject(value) &&
    isObject(value.info) &&
    typeof value.info.sessionID === 'string' &&
    typeof value.info.role === 'string' &&
    Array.isArray(value.parts)
  )
}

/** Whether the value is the answer of `GET /session/:id/message`: a list of the messages of one session. */
export function isMessageList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some(isStoredMessage)
}

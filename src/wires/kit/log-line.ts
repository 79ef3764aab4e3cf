import { isObject, isString, type JsonObject } from '../../core/json/values.ts'

/** Returns the message in a line of a log of both directions: `{ dir, at, msg }`, where `in` is from the program. Any other value is the message itself. */
export function unwrapLogLine(value: JsonObject): JsonObject {
  return isString(value.dir) && isObject(value.msg) ? value.msg : value
}

/** Whether the value is a line of such a log, with a message of the client. */
export function isFromClient(value: JsonObject): boolean {
  return value.dir === 'out' && isObject(value.msg)
}

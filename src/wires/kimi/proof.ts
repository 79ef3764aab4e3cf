import { isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { unwrapLogLine } from '../kit/log-line.ts'
import { isServerEvent, isWireLine } from './messages.ts'

/** Whether the value can only be a message of one of the forms. */
export function isKimiMessage(value: unknown): boolean {
  if (!isObject(value)) return false
  const message = unwrapLogLine(value)
  return isWireLine(message) || isServerEvent(message) || isMetaLine(message)
}

/** Whether a line proves to be of the stream. The messages themselves look like those of any program that speaks OpenAI's API. */
function isMetaLine({ role, type }: JsonObject): boolean {
  return role === 'meta' && isString(type)
}

import { asObject, asString, isObject } from '../../../json/values.ts'
import { snakeCase, withSnakeCase } from '../items/fields.ts'
import type { TurnError } from './event.ts'

/** Reads the error of a turn. Its kind is a name, or an object with the name as its key. */
export function readError(value: unknown): TurnError | undefined {
  const { message, codex_error_info: info } = withSnakeCase(asObject(value))
  const text = asString(message)
  if (text === undefined) return undefined
  const name = isObject(info) ? Object.keys(info)[0] : asString(info)
  return { message: text, code: name === undefined ? undefined : snakeCase(name) }
}

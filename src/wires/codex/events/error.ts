import { asObject, asString } from '../../../json/values.ts'
import { snakeCase } from '../../../programs/codex/snake-case.ts'
import { variantName, withSnakeCase } from '../items/fields.ts'
import type { TurnError } from './event.ts'

/** Reads the error of a turn. */
export function readError(value: unknown): TurnError | undefined {
  const { message, codex_error_info: info } = withSnakeCase(asObject(value))
  const text = asString(message)
  if (text === undefined) return undefined
  const name = variantName(info)
  return { message: text, code: name === undefined ? undefined : snakeCase(name) }
}

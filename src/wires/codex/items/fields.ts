import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { snakeCase } from '../../../programs/codex/snake-case.ts'
import { isoTime } from '../../kit/time.ts'

/** Returns the object with the names of its fields in snake case. */
export function withSnakeCase(fields: JsonObject): JsonObject {
  // Most names are in snake case already.
  if (isLowerCase(fields)) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]))
}

function isLowerCase(fields: JsonObject): boolean {
  for (const name in fields) if (name !== name.toLowerCase()) return false
  return true
}

/** Returns the name of a variant, which is a text, or an object with the name as its key. */
export function variantName(value: unknown): string | undefined {
  return isObject(value) ? Object.keys(value)[0] : asString(value)
}

/** Returns a time in seconds since the epoch as ISO 8601. */
export function isoTimeOfSeconds(seconds: unknown): string | undefined {
  return isoTime((asFiniteNumber(seconds) ?? Number.NaN) * 1_000)
}

/** Returns the path of a `file://` URL, and any other path unchanged. */
export function pathOf(path: string): string {
  if (!path.startsWith('file://')) return path
  try {
    return decodeURIComponent(path.slice('file://'.length))
  } catch {
    return path.slice('file://'.length)
  }
}

/** The reason of a turn that failed. */
export interface TurnError {
  readonly message: string
  readonly code?: string | undefined
}

/** Reads the error of a turn. */
export function readError(value: unknown): TurnError | undefined {
  const { message, codex_error_info: info } = withSnakeCase(asObject(value))
  const text = asString(message)
  if (text === undefined) return undefined
  const name = variantName(info)
  return { message: text, code: name === undefined ? undefined : snakeCase(name) }
}

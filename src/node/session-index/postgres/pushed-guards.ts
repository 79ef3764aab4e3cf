import { isObject, isString } from '../../../core/json/values.ts'
import type { EntryValues } from '../entry.ts'
import type { AskedColumn } from '../entry-source.ts'
import type { PushedFacts } from './pushed-session.ts'

const TEXTS = ['program', 'cwd', 'startedIn', 'updatedAt'] as const

/** Whether a value has the facts that the answers filter and sort by. Everybody who pushes can write any row. */
export function isPushedFacts(value: unknown): value is PushedFacts {
  if (!isObject(value)) return false
  const { id, format, changedAt, tools, inRepository = [], ended, open, lastAt = 0 } = value
  const hasNames = isString(id) && isString(format) && isTexts(tools) && isTexts(inRepository)
  const hasTexts = TEXTS.every((name) => value[name] === undefined || isString(value[name]))
  const hasTimes = Number.isFinite(changedAt) && Number.isFinite(lastAt)
  return hasNames && hasTexts && hasTimes && isStatus(ended) && isStatus(open)
}

/** Whether a value of a session has the kind of its column. */
export function isPushedValue<Name extends AskedColumn>(
  name: Name,
  value: unknown,
): value is EntryValues[Name] {
  if (name === 'parts' || name === 'tools') return Array.isArray(value) && value.every(isObject)
  if (!isObject(value)) return false
  if (name === 'row') return isString(value.id) && isString(value.path) && isTexts(value.tools)
  return [value.calls, value.subagents, value.files].every(Array.isArray)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString)
}

function isStatus(value: unknown): boolean {
  return value === undefined || (isObject(value) && isString(value.status))
}

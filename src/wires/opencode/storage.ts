import { isObject } from '../../json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { SessionStorage } from '../format.ts'
import { opencodeDatabase } from './database.ts'
import { readStored } from './files/stored-session.ts'
import { sessionFacts } from './session-info.ts'

export const opencodeStorage: SessionStorage = { facts: factsOf, readStored, database: opencodeDatabase }

/** Returns the facts of an export or of a stored session. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  const info = isObject(value.info) ? value.info : value
  if (typeof info.id !== 'string' || !isObject(info.time) || info.role !== undefined) return {}
  return sessionFacts(info)
}

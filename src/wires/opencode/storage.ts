import { isObject } from '../../json/values.ts'
import type { SessionStorage, StoredFacts } from '../format.ts'
import { opencodeDatabase } from './database.ts'
import { readStored } from './files/stored-session.ts'
import { dataFolder, sessionFacts } from './session-info.ts'

/**
 * Up to 1.1, OpenCode keeps a file per session in `storage/session/`, and a file per message and per part beside that folder. From 1.2 on,
 * it keeps all of them in `opencode.db`.
 */
export const opencodeStorage: SessionStorage = {
  folders: (environment) => [{ path: `${dataFolder(environment)}/storage/session`, depth: 1 }],
  facts: factsOf,
  readStored,
  database: opencodeDatabase,
}

/** Returns the facts of an export or of a stored session. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  const info = isObject(value.info) ? value.info : value
  if (typeof info.id !== 'string' || !isObject(info.time) || info.role !== undefined) return {}
  return sessionFacts(info)
}

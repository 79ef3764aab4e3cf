import { isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { Format, SessionStorage } from '../format.ts'
import { opencodeDatabase } from './database.ts'
import { readEvent } from './events/event.ts'
import { isExport, isMessageList, isStoredMessage, mainExportFirst } from './files/export.ts'
import { opencodeFiles } from './files/session-files.ts'
import { readStored, sessionFacts } from './files/stored-session.ts'

const opencodeStorage: SessionStorage = {
  facts: factsOf,
  readStored,
  database: opencodeDatabase,
  hasCostOfEachReply: true,
}

/** OpenCode: the events of its bus, its exports, and `run --format json`. */
export const opencodeFormat: Format<'opencode'> = {
  name: 'opencode',
  inputs: 'OpenCode (bus events, an export, a list of messages, run --format json)',
  isDocument: (value) =>
    Array.isArray(value) ? value.some(isExport) || isMessageList(value) : isExport(value),
  isMessage: (value) => isObject(value) && (isStoredMessage(value) || readEvent(value) !== undefined),
  transcripts: { isMessageList, arrange: mainExportFirst },
  files: {
    isSession: isJson,
    isPart: isJson,
    agentFiles: () => undefined,
    transcripts: opencodeFiles,
  },
  storage: opencodeStorage,
}

function isJson(path: string): boolean {
  return path.endsWith('.json')
}

/** Returns the facts of an export or of a stored session. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  const info = isObject(value.info) ? value.info : value
  if (typeof info.id !== 'string' || !isObject(info.time) || info.role !== undefined) return {}
  return sessionFacts(info)
}

import { isObject } from '../../json/values.ts'
import type { Format } from '../format.ts'
import { readEvent } from './events/event.ts'
import { opencodeEntries } from './files/entries.ts'
import { isExport } from './files/export.ts'
import { isMessageList, isStoredMessage } from './files/message-list.ts'
import { opencodeTranscript, selectOpencodeFiles } from './files/session-files.ts'
import { opencodeSource } from './source.ts'
import { opencodeStorage } from './storage.ts'

/** OpenCode: the events of its bus, its exports, and `run --format json`. */
export const opencodeFormat: Format<'opencode'> = {
  name: 'opencode',
  inputs: 'OpenCode (bus events, an export, a list of messages, run --format json)',
  isDocument: (value) =>
    Array.isArray(value) ? value.some(isExport) || isMessageList(value) : isExport(value),
  isMessage: (value) => isObject(value) && (isStoredMessage(value) || readEvent(value) !== undefined),
  entries: opencodeEntries,
  source: opencodeSource,
  files: {
    isSession: isJson,
    isPart: isJson,
    agentFiles: () => undefined,
    select: selectOpencodeFiles,
    combine: opencodeTranscript,
    part: () => ({ isFacts: false, complete: (entry) => entry }),
    // An export is a whole session, and the events of the bus arrive in one file.
    timeOf: () => '',
  },
  storage: opencodeStorage,
}

function isJson(path: string): boolean {
  return path.endsWith('.json')
}

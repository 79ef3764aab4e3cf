import { isObject } from '../../json/values.ts'
import type { Format } from '../format.ts'
import { readEvent } from './events/event.ts'
import { isExport, isMessageList, isStoredMessage, mainExportFirst } from './files/export.ts'
import { opencodeFiles } from './files/session-files.ts'
import { opencodeSource } from './source.ts'
import { opencodeStorage } from './storage.ts'

/** OpenCode: the events of its bus, its exports, and `run --format json`. */
export const opencodeFormat: Format<'opencode'> = {
  name: 'opencode',
  inputs: 'OpenCode (bus events, an export, a list of messages, run --format json)',
  isDocument: (value) =>
    Array.isArray(value) ? value.some(isExport) || isMessageList(value) : isExport(value),
  isMessage: (value) => isObject(value) && (isStoredMessage(value) || readEvent(value) !== undefined),
  transcripts: { isMessageList, arrange: mainExportFirst },
  source: opencodeSource,
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

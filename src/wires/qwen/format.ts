import { isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { Format } from '../format.ts'
import { unwrapLogLine } from '../kit/log-line.ts'
import { agentFolder, isPartOfSession, isSessionFile, qwenFiles } from './files.ts'
import { isProof, metaLine, timeOfLine } from './messages.ts'

/** Qwen Code: the stream, that of the SDK, and the files under `projects/`. */
export const qwenFormat: Format<'qwen'> = {
  name: 'qwen',
  inputs: "Qwen Code (stream-json, or a chats/<id>.jsonl: its agents' files are found under subagents/)",
  isDocument: () => false,
  isMessage,
  transcripts: { agentField: 'agentId', agentFacts: metaLine, timeOf: timeOfLine },
  files: {
    isSession: isSessionFile,
    isPart: isPartOfSession,
    agentFiles: agentFolder,
    transcripts: qwenFiles,
  },
  storage: { facts: factsOf },
}

function isMessage(value: unknown): boolean {
  return isObject(value) && isProof(unwrapLogLine(value))
}

function factsOf(value: unknown): StoredFacts {
  return isObject(value) && value.isSidechain === true ? { isSubagent: true } : {}
}

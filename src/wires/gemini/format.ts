import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { Format } from '../format.ts'
import { agentFolder, geminiFiles, isPartOfSession, isSessionFile } from './files.ts'
import { isHeader, isProof, timeOfLine } from './messages.ts'

/** Gemini CLI: the stream, and the chats under `tmp/`. */
export const geminiFormat: Format<'gemini'> = {
  name: 'gemini',
  inputs: "Gemini CLI (stream-json, or a chats/session-*.jsonl: its agents' files are found beside it)",
  isDocument: (value) => isObject(value) && isHeader(value) && Array.isArray(value.messages),
  isMessage: (value) => isObject(value) && isProof(value),
  // A line does not name its chat.
  transcripts: { agentField: 'agentId', timeOf: timeOfLine },
  files: {
    isSession: isSessionFile,
    isPart: isPartOfSession,
    agentFiles: agentFolder,
    transcripts: geminiFiles,
  },
  storage: { facts: factsOf, hasFilesOfOneId: true, hasFilesWithoutPrompt: true },
}

/** Returns the facts that the head of a chat states, and the summary that the program writes later as its title. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  if (!isHeader(value)) return omitUndefined({ title: asString(asObject(value.$set).summary) })
  const { sessionId, startTime, lastUpdated, kind, summary, messages } = value
  return omitUndefined({
    id: sessionId,
    title: asString(summary),
    startedAt: asString(startTime),
    updatedAt: Array.isArray(messages) ? asString(lastUpdated) : undefined,
    isSubagent: kind === 'subagent' ? true : undefined,
  })
}

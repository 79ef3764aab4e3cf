import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { type CombinedTranscript, onlySession } from '../../reading/input/combined.ts'
import { combineFiles, type FileReader, type TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { Format } from '../format.ts'
import { isCopilotMessage } from './messages.ts'

const NAME = /(?:^|[\\/])events\.jsonl$/

/** Whether a file with that path can hold a session. */
function isSessionFile(path: string): boolean {
  return NAME.test(path)
}

/**
 * Returns the one session among the files of its folder, by path: `events.jsonl`, which has all agents. Throws a
 * `TranscriptError` if there is no session, or if there are several.
 */
export function copilotTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, copilotFiles)
}

/** Returns the file of the session. */
function copilotFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  if (sessionPath !== undefined) return [{ path: sessionPath }]
  const candidates = paths.length === 1 ? paths : paths.filter(isSessionFile)
  const sessions = candidates.length === 1 ? candidates : candidates.filter((path) => isSession(path, reader))
  return [{ path: onlySession(sessions, 'an events.jsonl') }]
}

function isSession(path: string, reader: FileReader): boolean {
  // A broken line has no value.
  for (const value of reader.values(path)) if (value !== undefined) return isCopilotMessage(value)
  return false
}

/** GitHub Copilot CLI: `events.jsonl`, `copilot -p --output-format json`, and the messages of the SDK's connection. */
export const copilotFormat: Format<'copilot'> = {
  name: 'copilot',
  inputs: "GitHub Copilot CLI (an events.jsonl, -p --output-format json, a log of the SDK's connection)",
  isDocument: () => false,
  isMessage: isCopilotMessage,
  transcripts: {},
  files: {
    isSession: isSessionFile,
    isPart: isSessionFile,
    agentFiles: () => undefined,
    hasAllAgents: true,
    transcripts: copilotFiles,
  },
  storage: { facts: factsOf },
}

/** Returns the facts in the first event of a file. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value) || value.type !== 'session.start') return {}
  const { sessionId, startTime, context } = asObject(value.data)
  return omitUndefined({
    id: asString(sessionId),
    cwd: asString(asObject(context).cwd),
    startedAt: asString(startTime) ?? asString(value.timestamp),
  })
}

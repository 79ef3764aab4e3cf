import { type CombinedTranscript, onlySession } from '../../reading/input/combined.ts'
import { combineFiles, type FileReader, type TranscriptFiles } from '../../reading/input/transcript-files.ts'
import { isCopilotMessage } from './messages.ts'

const NAME = /(?:^|[\\/])events\.jsonl$/

/** Whether a file with that path can hold a session. */
export function isSessionFile(path: string): boolean {
  return NAME.test(path)
}

/**
 * Returns the one session among the files of its folder, by path: `events.jsonl`, which has all agents. Throws a `TranscriptError` if there is
 * no session, or if there are several.
 */
export function copilotTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, copilotFiles)
}

/** Returns the file of the session. */
export function copilotFiles(
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

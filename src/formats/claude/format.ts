import { isObject } from '../../json/values.ts'
import type { Format } from '../format.ts'
import { claudeEntries } from './files/entries.ts'
import { selectClaudeFiles } from './files/select-files.ts'
import { claudeTranscript, isAgentFile, isSessionFile, subagentFolder } from './files/session-files.ts'
import { claudeSource } from './source.ts'
import { claudeTraits } from './traits.ts'

/** Claude Code and the Claude Agent SDK: the stream, and the files under `projects/`. */
export const claudeFormat: Format<'claude-sdk'> = {
  traits: claudeTraits,
  inputs: "Claude Code (stream-json, or a session's .jsonl: its subagents' files are found beside it)",
  isDocument: () => false,
  isMessage,
  entries: claudeEntries,
  source: claudeSource,
  files: {
    isSession: isSessionFile,
    isPart,
    agentFiles: (sessionPath) => ({ folder: subagentFolder(sessionPath), isBeside: isAgentFile }),
    select: selectClaudeFiles,
    combine: claudeTranscript,
  },
}

/** A line has a type, and the id of a session, a message or another line. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string') return false
  return ['session_id', 'sessionId', 'uuid', 'message', 'event', 'leafUuid'].some(
    (name) => value[name] !== undefined,
  )
}

function isPart(path: string): boolean {
  return path.endsWith('.jsonl') || path.endsWith('.meta.json')
}

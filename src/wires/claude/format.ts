import { asObject, isObject } from '../../json/values.ts'
import type { Format } from '../format.ts'
import { isAgentFile, isSessionFile, subagentFolder, workflowFolder } from './files/file-names.ts'
import { foldersOfSameBeginning } from './files/forks.ts'
import { agentMeta, claudeFiles } from './files/session-files.ts'
import { isFileOfRun } from './files/workflow-runs.ts'
import { isKnownType } from './lines/line-types.ts'
import { claudeSource } from './source.ts'
import { claudeStorage } from './storage.ts'

/** Claude Code and the Claude Agent SDK: the stream, and the files under `projects/`. */
export const claudeFormat: Format<'claude-sdk'> = {
  name: 'claude-sdk',
  inputs: "Claude Code (stream-json, or a session's .jsonl: its subagents' files are found beside it)",
  isDocument: () => false,
  isMessage,
  // A subagent's lines name their agent. A line without that name belongs to the transcript's agent.
  transcripts: { agentField: 'agentId', agentFacts: agentMeta },
  source: claudeSource,
  files: {
    isSession: isSessionFile,
    isPart,
    agentFiles: (sessionPath) => ({
      folder: subagentFolder(sessionPath),
      furtherFolders: (reader) => [
        workflowFolder(sessionPath),
        ...foldersOfSameBeginning(sessionPath, reader),
      ],
      isBeside: isAgentFile,
    }),
    transcripts: claudeFiles,
  },
  storage: claudeStorage,
}

/** A line has a known type and the id of a session or of another line. A message has the API's content. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || !isKnownType(value.type)) return false
  const { message, event, systemPayload } = value
  // Qwen Code copies the lines of Claude Code. Its messages have `parts`, its system lines a `systemPayload`.
  if (systemPayload !== undefined || asObject(message).parts !== undefined) return false
  if (value.type === 'stream_event') return isObject(event)
  if (value.type === 'user' || value.type === 'assistant') return isContent(asObject(message).content)
  return ID_FIELDS.some((name) => typeof value[name] === 'string')
}

const ID_FIELDS = ['session_id', 'sessionId', 'uuid', 'leafUuid', 'messageId', 'agentId']

function isContent(content: unknown): boolean {
  return typeof content === 'string' || Array.isArray(content)
}

function isPart(path: string): boolean {
  return path.endsWith('.jsonl') || path.endsWith('.meta.json') || isFileOfRun(path)
}

import { omitUndefined } from '../../core/json/fields.ts'
import { asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { Format } from '../format.ts'
import { isAgentFile, isSessionFile, subagentFolder, workflowFolder } from './files/file-names.ts'
import { foldersOfSameBeginning } from './files/forks.ts'
import { agentMeta, claudeFiles } from './files/session-files.ts'
import { isFileOfRun } from './files/workflow-runs.ts'
import { provesClaude } from './proof.ts'

/** Claude Code and the Claude Agent SDK: the stream, and the files under `projects/`. */
export const claudeFormat: Format<'claude-sdk'> = {
  name: 'claude-sdk',
  inputs: "Claude Code (stream-json, or a session's .jsonl: its subagents' files are found beside it)",
  isDocument: () => false,
  isMessage: provesClaude,
  // A subagent's lines name their agent. A line without that name belongs to the transcript's agent.
  transcripts: { agentField: 'agentId', agentFacts: agentMeta },
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
  storage: { facts: (value) => (isObject(value) ? omitUndefined({ title: titleOf(value) }) : {}) },
}

function isPart(path: string): boolean {
  return path.endsWith('.jsonl') || path.endsWith('.meta.json') || isFileOfRun(path)
}

/** A title is a line of its own. The model or the person writes it, and a later one replaces it. */
function titleOf({ type, aiTitle, customTitle, summary }: JsonObject): string | undefined {
  if (type === 'ai-title') return asString(aiTitle)
  if (type === 'custom-title') return asString(customTitle)
  return type === 'summary' ? asString(summary) : undefined
}

import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { claudeCode } from '../../programs/claude-code/program.ts'
import type { Format } from '../format.ts'
import { isAgentFile, isSessionFile, subagentFolder, workflowFolder } from './files/file-names.ts'
import { foldersOfSameBeginning } from './files/forks.ts'
import { agentMeta, claudeFiles } from './files/session-files.ts'
import { isFileOfRun } from './files/workflow-runs.ts'
import { isKnownType } from './lines/line.ts'

/**
 * Whether only Claude Code writes such a line. Qwen Code, Grok and Cursor write streams of the same shape, so a known
 * type, or the parts of a
 * message, prove nothing. Lines without a proof are read too, once another line has shown the program.
 */
function provesClaude(value: unknown): boolean {
  if (!isObject(value)) return false
  const isStored = typeof value.sessionId === 'string' || value.parentUuid !== undefined
  return isStored ? provesStore(value) : provesStream(value)
}

/** A line of a file. Qwen Code's have `parts` instead of content. */
function provesStore(line: JsonObject): boolean {
  if (line.type === 'mode' || isOwnType(line.type)) return true
  if (typeof line.uuid !== 'string') return false
  if (line.type === 'user' || line.type === 'assistant') return hasContent(line)
  return CONTEXT_TYPES.has(line.type) && typeof line.userType === 'string'
}

/** The types with a hyphen are those of facts that the program keeps for itself. No other program has them. */
function isOwnType(type: unknown): boolean {
  return isKnownType(type) && String(type).includes('-')
}

/** A line of a stream, or one of a file that names no session. */
function provesStream(line: JsonObject): boolean {
  if (line.type === 'summary') return typeof line.leafUuid === 'string'
  if (line.type === 'file-history-snapshot') return isObject(line.snapshot)
  if (typeof line.session_id !== 'string') return false
  if (line.type === 'system') return line.subtype === 'init' && provesInit(line)
  if (typeof line.uuid !== 'string') return false
  if (line.type === 'result') return Array.isArray(line.permission_denials) && isObject(line.modelUsage)
  if (line.parent_tool_use_id === undefined) return false
  if (line.type === 'user') return line.tool_use_result !== undefined
  return line.type === 'assistant' && provesMessage(asObject(line.message))
}

/** A message of the API, which states the tier of the service, or a call of one of the program's tools. */
function provesMessage({ usage, content }: JsonObject): boolean {
  if (asObject(usage).service_tier !== undefined) return true
  return Array.isArray(content) && content.some((part) => OWN_TOOLS.has(asObject(part).name))
}

/** The first line of a stream. Before 2.0 it does not have the version. */
function provesInit(line: JsonObject): boolean {
  if (typeof line.claude_code_version === 'string') return true
  return typeof line.apiKeySource === 'string' && Array.isArray(line.tools) && line.tools.includes('Bash')
}

function hasContent(line: JsonObject): boolean {
  const { content } = asObject(line.message)
  return typeof content === 'string' || Array.isArray(content)
}

const OWN_TOOLS: ReadonlySet<unknown> = new Set(Object.values(claudeCode.tools).flat())

/** The types of lines with context for the model, or facts of the program. */
const CONTEXT_TYPES: ReadonlySet<unknown> = new Set(['attachment', 'progress', 'system'])

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

import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import { claudeCode } from '../../programs/claude-code/program.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import {
  agentMeta,
  claudeFiles,
  foldersOfSameBeginning,
  isAgentFile,
  isFileOfRun,
  isSessionFile,
  subagentFolder,
  workflowFolder,
} from './files/session-files.ts'
import { isKnownType } from './lines/line.ts'

/**
 * Whether only Claude Code writes such a line. Qwen Code, Grok and Cursor write streams of the same shape, so a known
 * type, or the parts of a message, prove nothing. Lines without a proof are read too, once another line has shown the
 * program.
 */
function provesClaude(value: unknown): boolean {
  if (!isObject(value)) return false
  const isStored = typeof value.sessionId === 'string' || value.parentUuid !== undefined
  return isStored ? provesStore(value) : provesStream(value)
}

/** A line of a file. Qwen Code's have `parts` instead of content. */
function provesStore(line: JsonObject): boolean {
  if (isOwnLine(line)) return line.type !== 'mode' && isQueueOperation(line) !== false
  if (typeof line.uuid !== 'string') return false
  if (line.type === 'user' || line.type === 'assistant') return hasContent(line)
  const isOfTree = line.parentUuid !== undefined || typeof line.isSidechain === 'boolean'
  return isOfTree && CONTEXT_TYPES.has(line.type) && typeof line.userType === 'string'
}

/**
 * Whether the line has a fact that the program keeps for itself: a type with a hyphen, or `mode`, and a field that
 * has a word of the type in its name. Any program may have the type alone.
 */
function isOwnLine({ type, ...fields }: JsonObject): boolean {
  if (type !== 'mode' && !(isKnownType(type) && String(type).includes('-'))) return false
  const words = String(type).split('-')
  return Object.keys(fields).some((name) => words.some((word) => name.toLowerCase().includes(word)))
}

/** Whether the operation is one of the program's; undefined for another line. */
function isQueueOperation({ type, operation }: JsonObject): boolean | undefined {
  return type === 'queue-operation' ? OPERATIONS.has(operation) : undefined
}

const OPERATIONS: ReadonlySet<unknown> = new Set(['enqueue', 'dequeue', 'remove', 'popAll'])

/** Whether the line may be of Claude Code or of the SDK, although it has no field that only they write. */
function fits(value: unknown): 'conversation' | 'other' | undefined {
  if (!isObject(value) || value.parts !== undefined) return undefined
  const { type, message, subtype, uuid, event } = value
  switch (type) {
    case 'user':
    case 'assistant':
      // A reply of Qwen Code has the id of its line.
      return asObject(message).role === type && hasContent(value) && (uuid ?? '') !== asObject(message).id
        ? 'conversation'
        : undefined
    case 'system':
      if (typeof subtype !== 'string' || typeof (value.session_id ?? value.sessionId) !== 'string')
        return undefined
      return subtype !== 'init' || Array.isArray(value.tools) ? 'other' : undefined
    case 'result':
      return typeof subtype === 'string' && typeof value.num_turns === 'number' ? 'other' : undefined
    case 'stream_event':
      return isObject(event) && typeof value.session_id === 'string' ? 'other' : undefined
    default:
      return isOwnLine(value) ? 'other' : undefined
  }
}

/** Whether the line is of Qoder, which writes the lines of Claude Code, and counts credits in place of tokens. */
function isForeign(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, message, modelUsage } = value
  const counts = [value, asObject(message).usage, value.usage, ...Object.values(asObject(modelUsage))]
  const hasCredits = counts.some((each) => CREDITS.some((name) => name in asObject(each)))
  return hasCredits || type === 'runtime-config' || 'qodercli_version' in value
}

const CREDITS: readonly string[] = ['credits', 'total_credits', 'original_credits']

/** A line of a stream, or one of a file that names no session. */
function provesStream(line: JsonObject): boolean {
  if (line.type === 'summary') return typeof line.leafUuid === 'string'
  if (line.type === 'file-history-snapshot') return isObject(asObject(line.snapshot).trackedFileBackups)
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

/** How the files of a session become one stream of messages. */
export const claudeRules: TranscriptRules = { agentField: 'agentId', agentFacts: agentMeta }

/** Claude Code and the Claude Agent SDK: the stream, and the files under `projects/`. */
export const claudeFormat: Format<'claude-sdk'> = {
  name: 'claude-sdk',
  inputs: "Claude Code (stream-json, or a session's .jsonl: its subagents' files are found beside it)",
  isDocument: () => false,
  isMessage: provesClaude,
  fits,
  isForeign,
  // A subagent's lines name their agent. A line without that name belongs to the transcript's agent.
  transcripts: claudeRules,
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

import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import { type TokenUsage, uncachedInput } from '../../core/state/session.ts'
import { type Part, readParts } from '../../programs/gemini/parts.ts'

/** A line of the stream: of `-o stream-json`, of the SDK in both directions, or of the terminal's `--json-file`. It states no time. */
export type LiveLine = {
  /** Absent from the messages of the SDK's client. */
  readonly uuid: string | undefined
  /** The call of the agent that the line belongs to. Absent for main. */
  readonly parentId: string | undefined
} & LiveContent

type LiveContent =
  /** A turn begins. If the SDK sends the prompts, each of them has such a line. */
  | { readonly type: 'init'; readonly cwd: string | undefined; readonly model: string | undefined }
  /** The terminal begins its file. */
  | { readonly type: 'session'; readonly cwd: string | undefined }
  /** A process of the newer version has begun. */
  | { readonly type: 'process' }
  | { readonly type: 'message-start' }
  | { readonly type: 'message-stop' }
  | { readonly type: 'text-start' }
  | { readonly type: 'delta'; readonly isThought: boolean; readonly text: string }
  /** A connection broke, and the model is asked again: for the rest of its text in the same block, or for a new text. */
  | { readonly type: 'retry'; readonly goesOn: boolean }
  | {
      readonly type: 'assistant'
      readonly model: string | undefined
      readonly content: readonly unknown[]
      readonly usage: JsonObject
    }
  | { readonly type: 'user'; readonly content: unknown }
  | {
      readonly type: 'result'
      readonly text: string | undefined
      readonly error: string | undefined
      readonly turns: number
    }
  | {
      readonly type: 'task-started'
      readonly toolUseId: string
      readonly agentId: string
      readonly name: string | undefined
      readonly description: string | undefined
    }
  | {
      readonly type: 'task-ended'
      readonly toolUseId: string
      readonly status: string
      readonly durationMs: number | undefined
    }
  | { readonly type: 'request'; readonly id: string; readonly request: JsonObject }
  | { readonly type: 'answer'; readonly id: string; readonly answer: JsonObject }
  | { readonly type: 'ignored' }

/** Reads a line of the stream; undefined for any other value. */
export function readLiveLine(line: JsonObject): LiveLine | undefined {
  if (line.parts !== undefined || line.sessionId !== undefined) return undefined
  const content = contentOf(line)
  if (!content) return undefined
  return { uuid: asString(line.uuid), parentId: asString(line.parent_tool_use_id) || undefined, ...content }
}

function contentOf(line: JsonObject): LiveContent | undefined {
  const { type, message, request_id } = line
  switch (type) {
    case 'system':
      return systemContent(line)
    case 'stream_event':
      return isObject(line.event) ? eventContent(line.event) : undefined
    case 'assistant':
    case 'user':
      return isObject(message) && message.content !== undefined ? messageContent(type, message) : undefined
    case 'result':
      return resultContent(line)
    case 'control_request': {
      const request = asObject(line.request)
      if (request.subtype !== 'can_use_tool' || !isString(request_id)) return { type: 'ignored' }
      return { type: 'request', id: request_id, request }
    }
    case 'control_response': {
      const response = isObject(line.response) ? line.response : line
      const id = asString(response.request_id) ?? asString(request_id)
      if (id === undefined) return { type: 'ignored' }
      return { type: 'answer', id, answer: isObject(response.response) ? response.response : response }
    }
    case 'control_cancel_request':
      return { type: 'ignored' }
    default:
      return undefined
  }
}

function systemContent({ subtype, session_id, cwd, model, data }: JsonObject): LiveContent | undefined {
  const facts = asObject(data)
  const toolUseId = asString(facts.tool_use_id)
  switch (subtype) {
    case 'init':
      if (!isString(session_id)) return undefined
      return { type: 'init', cwd: asString(cwd), model: asString(model) }
    case 'session_start':
      return { type: 'session', cwd: asString(facts.cwd) }
    case 'session_end':
      return { type: 'ignored' }
    case 'retry':
      return { type: 'retry', goesOn: facts.preserveText === true }
    case 'task_started': {
      if (toolUseId === undefined) return undefined
      const { task_id, subagent_type, description } = facts
      const names = { name: asString(subagent_type), description: asString(description) }
      return { type: 'task-started', toolUseId, agentId: asString(task_id) ?? toolUseId, ...names }
    }
    case 'task_notification': {
      if (toolUseId === undefined) return undefined
      const durationMs = asFiniteNumber(asObject(facts.usage).duration_ms)
      return { type: 'task-ended', toolUseId, status: asString(facts.status) ?? '', durationMs }
    }
    default:
      return undefined
  }
}

/** The input of a call comes in one piece, and the whole message follows at once. */
function eventContent({ type, content_block, delta }: JsonObject): LiveContent | undefined {
  const { text, thinking } = asObject(delta)
  switch (type) {
    case 'message_start':
      return { type: 'message-start' }
    case 'message_stop':
      return { type: 'message-stop' }
    case 'content_block_start': {
      const { type: block } = asObject(content_block)
      return { type: block === 'text' || block === 'thinking' ? 'text-start' : 'ignored' }
    }
    case 'content_block_delta':
      if (isString(text)) return { type: 'delta', isThought: false, text }
      return isString(thinking) ? { type: 'delta', isThought: true, text: thinking } : { type: 'ignored' }
    case 'goal_state':
      return { type: 'process' }
    case 'content_block_stop':
    case 'tool_progress':
      return { type: 'ignored' }
    default:
      return undefined
  }
}

function messageContent(type: 'assistant' | 'user', message: JsonObject): LiveContent {
  const { content, usage, model } = message
  if (type === 'user') return { type, content }
  return { type, content: asArray(content), usage: asObject(usage), model: asString(model) }
}

function resultContent({ subtype, is_error, error, result, num_turns }: JsonObject): LiveContent | undefined {
  if (!isString(subtype)) return undefined
  const words = asString(asObject(error).message) ?? asString(result) ?? subtype
  return {
    type: 'result',
    text: asString(result),
    error: is_error === true ? words : undefined,
    turns: asFiniteNumber(num_turns) ?? 0,
  }
}

/** Returns the tokens of a reply, which its last line has. The others have zeros. The input holds the tokens that came from the cache. */
export function usageOf(usage: JsonObject): TokenUsage | undefined {
  const input = asFiniteNumber(usage.input_tokens) ?? 0
  const output = asFiniteNumber(usage.output_tokens) ?? 0
  const cached = asFiniteNumber(usage.cache_read_input_tokens) || undefined
  if (input === 0 && output === 0) return undefined
  return omitUndefined({
    inputTokens: uncachedInput(input, cached),
    outputTokens: output,
    cacheReadTokens: cached,
  })
}

/** Returns the results of calls in the content of a message. */
export function resultsIn(content: unknown): readonly JsonObject[] {
  return asArray(content)
    .map(asObject)
    .filter(({ type }) => type === 'tool_result')
}

/** A call as both forms show it. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly time?: string | undefined
}

/** The result of a call. */
export interface CallResult {
  readonly id: string
  readonly output: unknown
  readonly isError: boolean
  /** Files name the tool here, too. */
  readonly toolName?: string | undefined
  /** The tool's own record. Only files have it. */
  readonly record: JsonObject
  readonly durationMs?: number | undefined
  readonly time?: string | undefined
}

/** A record of a chat's file, or of an agent's file. */
export interface StoredRecord {
  readonly uuid: string
  readonly parentUuid: string | undefined
  readonly sessionId: string
  readonly time: string | undefined
  readonly type: string
  readonly subtype: string | undefined
  /** The parts of its message; undefined if it has none. */
  readonly parts: readonly Part[] | undefined
  readonly model: string | undefined
  readonly usage: JsonObject | undefined
  readonly payload: JsonObject
  readonly result: JsonObject
  readonly cwd: string | undefined
  /** Absent for main. */
  readonly agentId: string | undefined
  readonly agentName: string | undefined
  /** The run of the agent, and the number of its request to the model in the run. */
  readonly runId: string | undefined
  readonly round: number | undefined
  /** Newer versions say where each record comes from. */
  readonly hasProvenance: boolean
}

/** Reads a record; undefined for any other value. */
export function readRecord(line: JsonObject): StoredRecord | undefined {
  const { uuid, sessionId, type, message, usageMetadata, systemPayload, toolCallResult } = line
  if (!isString(uuid) || !isString(sessionId) || !isString(type)) return undefined
  const { parts } = asObject(message)
  if (!Array.isArray(parts) && systemPayload === undefined && !RECORD_TYPES.has(type)) return undefined
  return {
    uuid,
    parentUuid: asString(line.parentUuid),
    sessionId,
    time: asString(line.timestamp),
    type,
    subtype: asString(line.subtype),
    parts: Array.isArray(parts) ? readParts(parts) : undefined,
    model: asString(line.model),
    usage: isObject(usageMetadata) ? usageMetadata : undefined,
    payload: asObject(systemPayload),
    result: asObject(toolCallResult),
    cwd: asString(line.cwd),
    agentId: asString(line.agentId),
    agentName: asString(line.agentName),
    runId: asString(line.agentRunId),
    round: asFiniteNumber(line.agentRound),
    hasProvenance: line.provenance !== undefined,
  }
}

const RECORD_TYPES: ReadonlySet<unknown> = new Set(['system', 'tool_result'])

/** A piece of an agent's text as it came, in a file beside the agent's own. It is there while the agent works, and after a kill. */
export interface StreamPiece {
  readonly agentId: string
  readonly runId: string
  readonly round: number
  readonly text: string
  readonly isThought: boolean
  readonly time: string | undefined
}

/** Reads a piece of an agent's text; undefined for any other value. */
export function readPiece(line: JsonObject): StreamPiece | undefined {
  const { agentId, runId, round, text, thought } = line
  if (!isString(agentId) || !isString(runId) || typeof round !== 'number' || !isString(text)) return undefined
  return { agentId, runId, round, text, isThought: thought === true, time: timeOfLine(line) }
}

/** The facts about an agent in its `.meta.json`, as a line before its first one. */
export interface AgentMeta {
  readonly agentId: string
  readonly meta: JsonObject
}

/** Returns the line for the facts about an agent. */
export function metaLine(agentId: string, meta: JsonObject): JsonObject {
  return { type: 'agent_meta', agentId, meta }
}

/** Reads the line with the facts about an agent; undefined for any other value. */
export function readMeta({ type, agentId, meta }: JsonObject): AgentMeta | undefined {
  return type === 'agent_meta' && isString(agentId) && isObject(meta) ? { agentId, meta } : undefined
}

/** Returns the time of a stored line as ISO 8601. The pieces of a text have it in ms. */
export function timeOfLine({ timestamp }: JsonObject): string | undefined {
  if (typeof timestamp !== 'number') return asString(timestamp)
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/**
 * Whether only Qwen Code writes such a line. Its stream looks like that of Claude Code: a line of the model is named
 * after itself, the facts of a task stand in `data`, and the first line has the version. Its files have the parts of
 * the Gemini API in a chain of records.
 */
export function isProof(line: JsonObject): boolean {
  const { type, subtype, uuid, message, data, event, systemPayload, toolCallResult } = line
  if (!isString(uuid)) return false
  if (isString(line.sessionId)) {
    if (Array.isArray(asObject(message).parts)) return line.parentUuid !== undefined
    return isObject(toolCallResult) || (isObject(systemPayload) && isString(line.version))
  }
  if (!isString(line.session_id)) return false
  if (type === 'system' && subtype === 'init') return isString(line.qwen_code_version)
  if (type === 'system')
    return isString(asObject(data).task_id) || Array.isArray(asObject(data).supported_events)
  if (type === 'stream_event') return asObject(event).type === 'goal_state'
  return type === 'assistant' && asObject(message).id === uuid && line.parent_tool_use_id !== undefined
}

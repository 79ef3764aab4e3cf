import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import type { ClineTokens } from './notes.ts'

/** A line of `cline --json`. The times are ISO 8601. */
export type ClineLine = {
  readonly time: string | undefined
} /** The hooks alone name agents. Those of main and of teammates have no parent. */ & (
  | {
      readonly type: 'hook'
      readonly hook: string
      readonly agentId: string
      readonly parentId: string | undefined
    }
  /** An event of an agent. Only those of teammates have a name. */
  | { readonly type: 'event'; readonly event: AgentEvent; readonly teammate: string | undefined }
  | { readonly type: 'team'; readonly event: TeamEvent }
  /** The process ends. */
  | {
      readonly type: 'end'
      readonly reason: string
      readonly text: string | undefined
      readonly model: string | undefined
    }
)

/** An event of an agent. */
export type AgentEvent =
  | { readonly type: 'reply-starts' }
  /** A piece of a text, and the text so far. */
  | { readonly type: 'text'; readonly delta: string; readonly accumulated: string }
  | { readonly type: 'text-end'; readonly text: string }
  | { readonly type: 'thinking'; readonly delta: string }
  | { readonly type: 'thinking-end'; readonly text: string }
  | { readonly type: 'tokens'; readonly tokens: ClineTokens }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'result'
      readonly id: string
      readonly name: string
      readonly output: unknown
      readonly durationMs: number | undefined
    }
  | { readonly type: 'done'; readonly reason: string; readonly text: string | undefined }
  | { readonly type: 'error'; readonly message: string; readonly isFatal: boolean }
  /** It adds nothing to a conversation. */
  | { readonly type: 'ignored' }

/** An event of a team. */
export type TeamEvent =
  | { readonly type: 'spawned'; readonly name: string; readonly runtimeId: string }
  | {
      readonly type: 'task-ended'
      readonly name: string
      readonly isError: boolean
      readonly text: string | undefined
    }
  | { readonly type: 'ignored' }

/** Reads a line; undefined for any other value. */
export function readLine(line: JsonObject): ClineLine | undefined {
  const { ts, type, event, agentId, hookEventName, finishReason } = line
  const time = asString(ts)
  if (type === 'hook_event' && isString(hookEventName) && isString(agentId))
    return { type: 'hook', time, hook: hookEventName, agentId, parentId: asString(line.parentAgentId) }
  if (type === 'agent_event' && isObject(event)) return eventLine(event, undefined, time)
  if (type === 'team_event' && isObject(event)) {
    if (event.type === 'agent_event')
      return eventLine(asObject(event.event), asString(event.agentId) ?? '', time)
    return { type: 'team', time, event: readTeamEvent(event) }
  }
  if (type === 'error' && isString(line.message))
    return {
      type: 'event',
      time,
      event: { type: 'error', message: line.message, isFatal: true },
      teammate: undefined,
    }
  if (type !== 'run_result' || !isString(finishReason)) return undefined
  return {
    type: 'end',
    time,
    reason: finishReason,
    text: asString(line.text),
    model: asString(asObject(line.model).id),
  }
}

function eventLine(
  event: JsonObject,
  teammate: string | undefined,
  time: string | undefined,
): ClineLine | undefined {
  const read = readEvent(event)
  return read && { type: 'event', time, event: read, teammate }
}

/** Whether only Cline writes such a line. */
export function isProof(line: JsonObject): boolean {
  const read = isString(line.ts) ? readLine(line) : undefined
  if (read?.type === 'hook') return line.taskId !== undefined || line.parentAgentId !== undefined
  if (read?.type === 'team' && read.event.type === 'ignored') return false
  return read !== undefined && (read.type !== 'event' || line.type !== 'error')
}

function readEvent(event: JsonObject): AgentEvent | undefined {
  const { type, contentType, text, accumulated, reasoning, reason, toolCallId: id, toolName } = event
  const name = asString(toolName) ?? ''
  switch (type) {
    case 'iteration_start':
      return { type: 'reply-starts' }
    case 'content_start':
      if (contentType === 'tool' && isString(id)) return { type: 'call', id, name, input: event.input ?? {} }
      if (contentType === 'text' && isString(text))
        return { type: 'text', delta: text, accumulated: asString(accumulated) ?? text }
      return contentType === 'reasoning' && isString(reasoning)
        ? { type: 'thinking', delta: reasoning }
        : unreadable(contentType)
    case 'content_end':
      if (contentType === 'tool' && isString(id))
        return {
          type: 'result',
          id,
          name,
          output: event.output ?? event.error ?? '',
          durationMs: asFiniteNumber(event.durationMs),
        }
      if (contentType === 'text' && isString(text)) return { type: 'text-end', text }
      return contentType === 'reasoning' && isString(reasoning)
        ? { type: 'thinking-end', text: reasoning }
        : unreadable(contentType)
    case 'usage':
      return { type: 'tokens', tokens: readTokens(event) }
    case 'done':
      return { type: 'done', reason: asString(reason) ?? '', text: asString(text) }
    case 'error':
      return {
        type: 'error',
        message: asString(asObject(event.error).message) ?? asString(event.error) ?? '',
        isFatal: event.recoverable === false,
      }
    default:
      return IGNORED_EVENTS.has(type) ? { type: 'ignored' } : undefined
  }
}

/** Words that are nested too deep are reported, and add nothing. */
function unreadable(contentType: unknown): AgentEvent | undefined {
  return contentType === 'text' || contentType === 'reasoning' ? { type: 'ignored' } : undefined
}

const IGNORED_EVENTS: ReadonlySet<unknown> = new Set(['iteration_end', 'content_update', 'notice'])

function readTeamEvent({ type, agentId, status, result, error, teammate, run }: JsonObject): TeamEvent {
  const runEnd = /^run_(completed|failed|cancelled|interrupted)$/.exec(asString(type) ?? '')?.[1]
  if (runEnd !== undefined) return readTeamEvent({ ...asObject(run), type: 'task_end', status: runEnd })
  const name = asString(agentId) ?? ''
  const { runtimeAgentId } = asObject(teammate)
  if (type === 'teammate_spawned' && isString(runtimeAgentId))
    return { type: 'spawned', name, runtimeId: runtimeAgentId }
  if (type !== 'task_end') return { type: 'ignored' }
  const text = asString(asObject(result).text) ?? asString(error) ?? asString(asObject(error).message)
  return { type: 'task-ended', name, isError: isString(status) && status !== 'completed', text }
}

/** Reads the counts of tokens in a line or in a message of a file. */
function readTokens(counts: JsonObject): ClineTokens {
  return omitUndefined({
    inputTokens: asFiniteNumber(counts.inputTokens),
    outputTokens: asFiniteNumber(counts.outputTokens),
    cacheReadTokens: asFiniteNumber(counts.cacheReadTokens),
    cacheWriteTokens: asFiniteNumber(counts.cacheWriteTokens),
    totalInputTokens: asFiniteNumber(counts.totalInputTokens),
  })
}

/** A file of a session or of an agent, which the program writes as a whole. */
export interface StoredFile {
  readonly sessionId: string
  /** `lead`, `subagent` or `teammate`. */
  readonly role: string
  /** The name of a teammate. */
  readonly name: string | undefined
  readonly messages: readonly StoredMessage[]
}

/** A message in a file. */
export interface StoredMessage {
  readonly id: string
  readonly isUser: boolean
  readonly time: string | undefined
  readonly parts: readonly JsonObject[]
  readonly model: string | undefined
  readonly tokens: ClineTokens | undefined
  /** The text is the program's report of an error. */
  readonly isError: boolean
}

export type StoredValue = JsonObject & { readonly sessionId: string; readonly messages: readonly unknown[] }

/** Whether the value is the file of a session or of an agent. */
export function isStoredFile(value: unknown): value is StoredValue {
  if (!isObject(value) || !Array.isArray(value.messages) || !isObject(value.origin)) return false
  return isString(value.sessionId) && isString(value.agent) && value.version === 1
}

/** Reads the file of a session or of an agent. */
export function readStoredFile(file: StoredValue): StoredFile {
  const { sessionId, agent, origin, messages } = file
  return {
    sessionId: asString(sessionId) ?? '',
    role: asString(agent) ?? '',
    name: asString(asObject(origin).subagent),
    messages: asArray(messages).map(asObject).flatMap(readMessage),
  }
}

function readMessage(message: JsonObject): readonly StoredMessage[] {
  const { id, role, ts, content, modelInfo, metrics, metadata } = message
  if (!isString(id) || (role !== 'user' && role !== 'assistant')) return []
  const parts = isString(content) ? [{ type: 'text', text: content }] : asArray(content).map(asObject)
  return [
    {
      id,
      isUser: role === 'user',
      time: isoTime(ts),
      parts,
      model: asString(asObject(modelInfo).id),
      tokens: isObject(metrics) ? readTokens(metrics) : undefined,
      isError: asObject(metadata).displayRole === 'error',
    },
  ]
}

/** The file beside a session's own with its facts. */
export function isIndex(value: unknown): value is JsonObject & { readonly session_id: string } {
  return (
    isObject(value) &&
    isString(value.session_id) &&
    isString(value.messages_path) &&
    value.messages === undefined
  )
}

import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import { type Part, readParts } from '../../programs/gemini/parts.ts'

/** A line of `gemini -o stream-json`. The times are ISO 8601. */
export type StreamEvent = { readonly time: string | undefined } & (
  | { readonly type: 'init'; readonly sessionId: string; readonly model: string | undefined }
  | { readonly type: 'prompt'; readonly text: string }
  /** A piece of a text. Nothing says where the text ends. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  /** The output is that for the screen. */
  | {
      readonly type: 'result'
      readonly id: string
      readonly isError: boolean
      readonly output: string | undefined
    }
  | { readonly type: 'note'; readonly severity: string; readonly message: string }
  /** The process ends. The error is that of a turn that failed. */
  | { readonly type: 'end'; readonly error: string | undefined; readonly code: string | undefined }
)

/** Reads a line of the stream; undefined for any other value. */
export function readStreamEvent(line: JsonObject): StreamEvent | undefined {
  const { type, role, content, message, severity, status, session_id: sessionId, tool_id: id } = line
  const { type: code, message: words } = asObject(line.error)
  const time = asString(line.timestamp)
  const name = line.tool_name
  if (type === 'init' && isString(sessionId) && line.uuid === undefined)
    return { type, time, sessionId, model: asString(line.model) }
  if (type === 'message' && isString(content) && (role === 'user' || role === 'assistant'))
    return { type: role === 'user' ? 'prompt' : 'text', time, text: content }
  if (type === 'tool_use' && isString(id) && isString(name))
    return { type: 'call', time, id, name, input: line.parameters ?? {} }
  if (type === 'tool_result' && isString(id) && isString(status)) {
    const isError = status === 'error'
    return {
      type: 'result',
      time,
      id,
      isError,
      output: asString(isError ? words : undefined) ?? asString(line.output),
    }
  }
  if (type === 'error' && isString(message) && isString(severity))
    return { type: 'note', time, severity, message }
  if (type !== 'result' || !isString(status) || sessionId !== undefined) return undefined
  return {
    type: 'end',
    time,
    error: status === 'error' ? (asString(words) ?? status) : undefined,
    code: asString(code),
  }
}

/** Whether only Gemini CLI writes such a line. The words of a person, notes and an end without counts prove nothing. */
export function isProof(line: JsonObject): boolean {
  const { $set, $rewindTo, type, id, timestamp, stats, delta } = line
  const event = readStreamEvent(line)
  if (event?.type === 'text') return delta === true && event.time !== undefined
  if (event?.type === 'end') return typeof asObject(stats).total_tokens === 'number'
  if (event?.type === 'init') return event.model !== undefined && event.time !== undefined
  if (event) return (event.type === 'call' || event.type === 'result') && event.time !== undefined
  if (isHeader(line) || isString($rewindTo)) return true
  // A database may write such a change too.
  if (isObject($set)) return asArray($set.messages).some((each) => readMessage(each).length > 0)
  return isString(timestamp) && isString(id) && type === 'gemini' && OF_REPLY.some((name) => name in line)
}

const OF_REPLY: readonly string[] = ['content', 'thoughts', 'tokens', 'toolCalls', 'model']

/** A call as both forms show it. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly messageId?: string | undefined
  readonly time?: string | undefined
}

/** A message in a chat's file. */
export interface StoredMessage {
  readonly id: string
  readonly time: string | undefined
  readonly role: string
  readonly parts: readonly Part[]
  /** The words that the person typed, if the program has added the contents of files. */
  readonly typed: readonly Part[] | undefined
  readonly thoughts: readonly string[]
  readonly tokens: JsonObject | undefined
  readonly model: string | undefined
  readonly calls: readonly StoredCall[]
  /** The message is written as the model gets it, and perhaps not for the first time. */
  readonly isForModel: boolean
}

/** A call that has ended, with its result. */
export interface StoredCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly status: string
  readonly result: unknown
  readonly display: unknown
  readonly agentId: string | undefined
  /** The time of its end. */
  readonly time: string | undefined
}

/** An operation in a chat's file. */
export type StoredLine =
  | {
      readonly type: 'header'
      readonly sessionId: string
      readonly cwd: string | undefined
      readonly time: string | undefined
      /** The chat of older versions is one document. */
      readonly messages: readonly StoredMessage[]
    }
  | { readonly type: 'message'; readonly message: StoredMessage }
  /** Facts of the chat, or its whole history anew. */
  | {
      readonly type: 'set'
      readonly report: string | undefined
      readonly history: readonly StoredMessage[] | undefined
      readonly time: string | undefined
    }
  | { readonly type: 'rewind'; readonly messageId: string }

/** Reads a line of a chat's file, or a chat that is one document; undefined for any other value. */
export function readStoredLine(line: JsonObject): StoredLine | undefined {
  const { $set, $rewindTo: messageId } = line
  if (isObject($set)) {
    const history = Array.isArray($set.messages) ? $set.messages.flatMap(readMessage) : undefined
    return { type: 'set', report: asString($set.summary), history, time: asString($set.lastUpdated) }
  }
  if (isString(messageId)) return { type: 'rewind', messageId }
  if (isHeader(line)) {
    const { sessionId, startTime, directories, messages } = line
    const facts = { cwd: asString(asArray(directories)[0]), time: asString(startTime) }
    return { type: 'header', sessionId, ...facts, messages: asArray(messages).flatMap(readMessage) }
  }
  const [message] = readMessage(line)
  return message && { type: 'message', message }
}

/** Whether the line begins a chat. */
export function isHeader(
  line: JsonObject,
): line is JsonObject & { readonly sessionId: string; readonly projectHash: string } {
  return isString(line.sessionId) && isString(line.projectHash)
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'error', 'warning'])

function readMessage(value: unknown): readonly StoredMessage[] {
  const line = asObject(value)
  const { id, type, content, displayContent, thoughts, tokens, toolCalls } = line
  if (!isString(id) || !isString(type) || !ROLES.has(type)) return []
  return [
    {
      id,
      time: asString(line.timestamp),
      role: type,
      parts: readParts(content),
      typed: displayContent === undefined ? undefined : readParts(displayContent),
      thoughts: asArray(thoughts).flatMap(readThought),
      tokens: isObject(tokens) ? tokens : undefined,
      model: asString(line.model),
      calls: asArray(toolCalls).flatMap(readCall),
      isForModel: Array.isArray(content),
    },
  ]
}

/** The program has taken the heading of a thought apart. */
function readThought(value: unknown): readonly string[] {
  const { subject, description } = asObject(value)
  const heading = asString(subject)
  const text = [heading ? `**${heading}**` : '', asString(description) ?? ''].filter(Boolean).join('\n')
  return text === '' ? [] : [text]
}

function readCall(value: unknown): readonly StoredCall[] {
  const { id, name, args, status, result, resultDisplay, agentId, timestamp } = asObject(value)
  if (!isString(id)) return []
  const facts = {
    name: asString(name) ?? '',
    status: asString(status) ?? 'success',
    time: asString(timestamp),
  }
  return [{ id, ...facts, input: args ?? {}, result, display: resultDisplay, agentId: asString(agentId) }]
}

/** Returns the time at which a line was written. A message is written anew when its calls have ended. */
export function timeOfLine(line: JsonObject): string | undefined {
  const ends = asArray(line.toolCalls).flatMap((call) => asString(asObject(call).timestamp) ?? [])
  const own =
    asString(line.timestamp) ?? asString(asObject(line.$set).lastUpdated) ?? asString(line.startTime)
  return ends.reduce((last, end) => (last === undefined || end > last ? end : last), own)
}

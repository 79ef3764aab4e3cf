import { fieldName } from '../../core/json/shape.ts'
import { asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import type { NoteValue } from '../../reading/notes/note-shape.ts'
import { unwrapLogLine } from '../kit/lines.ts'

// A session is a list of events. `events.jsonl` has one a line, `copilot -p --output-format json` prints them, and
// the SDK's connection wraps each one in a notification `session.event`. The ids are the same in all three, and the
// files have no `ephemeral` ones, such as deltas. { "type": "assistant.message", "data": { … }, "id": "<uuid>",
// "timestamp": "…Z", "parentId": "<uuid>", "agentId": "<uuid>", "ephemeral": true }

/** The `data` of the events with content. The last line of `copilot -p` is no event, and has its fields beside the type. */
const EVENTS = {
  'session.start': {
    sessionId: 'string',
    'copilotVersion?': 'string',
    'selectedModel?': 'string',
    'context?': 'JSON object',
  },
  'session.resume': { 'selectedModel?': 'string', 'context?': 'JSON object' },
  /** `modelMetrics`: the tokens by model, of the process up to 1.0.89, and of the session later. */
  'session.shutdown': { 'modelMetrics?': 'JSON object', 'currentTokens?': 'finite number' },
  result: { 'sessionId?': 'string', 'exitCode?': 'finite number', usage: 'JSON object' },
  'session.model_change': { newModel: 'string' },
  'session.usage_info': { 'currentTokens?': 'finite number', 'tokenLimit?': 'finite number' },
  'session.snapshot_rewind': { upToEventId: 'string' },
  'session.compaction_complete': {
    'success?': 'boolean',
    'summaryContent?': 'string',
    'postCompactionTokens?': 'finite number',
  },
  /** `infoType: 'fork'` names the copy of the session. */
  'session.info': { 'infoType?': 'string', 'message?': 'string' },
  'session.warning': { message: 'string' },
  'session.error': { message: 'string', 'errorType?': 'string' },
  /** The bytes of an attachment, once for all prompts. */
  'session.binary_asset': { assetId: 'string', mimeType: 'string', data: 'string' },
  /**
   * `source`: a parent agent (`agent-<session>`) or the program, and no field for the person. `delivery`: `idle`,
   * `queued` or `steering`.
   */
  'user.message': {
    content: 'string',
    'attachments?': 'JSON value',
    'source?': 'string',
    'delivery?': 'string',
  },
  'system.notification': { content: 'string' },
  /** The start and the end of a reply of the model with its calls. */
  'assistant.turn_start': {},
  'assistant.turn_end': {},
  'assistant.reasoning_delta': { deltaContent: 'string' },
  'assistant.message_start': { messageId: 'string' },
  'assistant.message_delta': { messageId: 'string', deltaContent: 'string' },
  'assistant.tool_call_delta': { toolCallId: 'string', toolName: 'string', inputDelta: 'string' },
  /** The program asks the model again. The streamed part of the reply is void. */
  'assistant.turn_retry': { 'reason?': 'string' },
  /** A request that failed. The program makes it again if the provider was too busy. */
  'model.call_failure': { 'statusCode?': 'finite number', 'errorMessage?': 'string' },
  /** A whole reply. `toolRequests`: `{ toolCallId, name, arguments }`. The text of a free-form tool is a string. */
  'assistant.message': {
    messageId: 'string',
    'apiCallId?': 'string',
    'model?': 'string',
    'reasoningText?': 'string',
    'content?': 'string',
    'toolRequests?': 'JSON value',
    'outputTokens?': 'finite number',
  },
  /** The tokens of a request: in a file, and on a connection. */
  'session.usage_record': { usage: 'JSON object' },
  'assistant.usage': { 'apiCallId?': 'string', 'model?': 'string' },
  'assistant.idle': { 'aborted?': 'boolean' },
  'session.idle': { 'aborted?': 'boolean' },
  abort: {},
  /** A command that the person runs with `!`. */
  'tool.user_requested': { toolCallId: 'string', toolName: 'string', 'arguments?': 'JSON value' },
  'tool.execution_start': { toolCallId: 'string', toolName: 'string', 'arguments?': 'JSON value' },
  /** The whole output so far. */
  'tool.execution_partial_result': { toolCallId: 'string', partialOutput: 'string' },
  'tool.execution_complete': {
    toolCallId: 'string',
    'success?': 'boolean',
    'result?': 'JSON object',
    'error?': 'JSON object',
    'shellExecution?': 'JSON object',
    'fileEdits?': 'JSON value',
  },
  /** `agentName`: the type of the agent. `parentId`: the agent that has called it. */
  'subagent.started': {
    toolCallId: 'string',
    'agentName?': 'string',
    'agentType?': 'string',
    'agentDescription?': 'string',
    'parentId?': 'string',
  },
  'subagent.completed': { toolCallId: 'string', 'cancelled?': 'boolean', 'durationMs?': 'finite number' },
  'subagent.failed': { toolCallId: 'string', 'error?': 'string', 'durationMs?': 'finite number' },
  'permission.requested': { requestId: 'string', permissionRequest: 'JSON object' },
  'permission.completed': { requestId: 'string', result: 'JSON object' },
  'user_input.requested': {
    requestId: 'string',
    question: 'string',
    'choices?': 'JSON value',
    'toolCallId?': 'string',
  },
  'user_input.completed': { requestId: 'string', 'answer?': 'string' },
  'skill.invoked': { name: 'string', content: 'string' },
} as const

/** The types of the events with content. */
export type EventType = keyof typeof EVENTS

/** The fields of an event. */
export type Data<Type extends EventType> = NoteValue<{ readonly fields: (typeof EVENTS)[Type] }>

/** An event of a session. */
export interface CopilotEvent {
  readonly type: string
  readonly id: string
  readonly time: string | undefined
  /** The agent whose event it is. Main's have none. */
  readonly agentId: string | undefined
  /** The session, on a connection with several. */
  readonly sessionId: string | undefined
  readonly data: JsonObject
}

/** Whether events of that type have content. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENTS, type)
}

/** Returns the fields of an event that have the right kind; undefined if a needed one has not. */
export function dataOf<Type extends EventType>(type: Type, data: JsonObject): Data<Type> | undefined
export function dataOf(type: EventType, data: JsonObject): JsonObject | undefined {
  const found: Record<string, unknown> = {}
  for (const { name, kind, isOptional } of fieldsOf(type)) {
    const value = data[name]
    if (isOfKind(value, kind)) found[name] = value
    else if (!isOptional) return undefined
  }
  return found
}

interface Field {
  readonly name: string
  readonly kind: string
  readonly isOptional: boolean
}

const known = new Map<EventType, readonly Field[]>()

function fieldsOf(type: EventType): readonly Field[] {
  const fields =
    known.get(type) ??
    Object.entries(EVENTS[type]).map(([entry, kind]) => ({
      name: fieldName(entry),
      kind,
      isOptional: entry.endsWith('?'),
    }))
  known.set(type, fields)
  return fields
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === 'JSON object') return isObject(value)
  if (kind === 'finite number') return Number.isFinite(value)
  return kind === 'JSON value' ? value !== undefined : typeof value === kind
}

/** Returns the event of a message; undefined for any other message. */
export function readEvent(message: JsonObject): CopilotEvent | undefined {
  const { event, sessionId } = unwrapped(message)
  const { type, id, timestamp, agentId, data } = event
  if (!isString(type)) return undefined
  return {
    type,
    id: asString(id) ?? '',
    time: asString(timestamp),
    agentId: asString(agentId) ?? callOfAgent(type, asObject(data)),
    sessionId,
    data: isObject(data) ? data : event,
  }
}

/** Returns the call of the agent whose event it is. Before 1.0.42, an event of an agent names that call alone. */
function callOfAgent(type: string, { parentToolCallId }: JsonObject): string | undefined {
  return type.startsWith('subagent.') ? undefined : asString(parentToolCallId)
}

/** Unwraps an event of the SDK's connection, alone or in a line of a log of both directions: `{ dir, at, msg }`. */
function unwrapped(message: JsonObject): {
  readonly event: JsonObject
  readonly sessionId: string | undefined
} {
  const rpc = unwrapLogLine(message)
  const params = rpc.method === 'session.event' && isObject(rpc.params) ? rpc.params : undefined
  const event = params && isObject(params.event) ? params.event : rpc
  return { event, sessionId: asString(params?.sessionId) }
}

/** The types without content: the frame of a session, the program's own state, and what the model reads and writes a second time. */
const IGNORED = /* @__PURE__ */ new RegExp(
  '^(?:(?:session|model|mcp|hook|command|commands|capabilities|elicitation|exit_plan_mode' +
    String.raw`|external_tool|sampling|sandbox|pending_messages|agent)\.|assistant\.(?:intent|reasoning` +
    String.raw`|streaming_delta)$|skill\.context|subagent\.(?:configured|(?:de)?selected)$|system\.message$` +
    String.raw`|tool\.(?:execution_progress|shell_output)$)`,
)

/** The methods of the connection. `session.event` alone has events. */
const METHODS = /^(?:connect|ping|[a-zA-Z]+(?:\.[\w.]+)+)$/

/** Whether the message is known, and has no content. No file has an ephemeral event, and others repeat what it says. */
export function isFrame(message: JsonObject): boolean {
  const { event } = unwrapped(message)
  const { type, ephemeral, jsonrpc, method, id } = event
  if (isString(type)) return IGNORED.test(type) || ephemeral === true
  return jsonrpc === '2.0' && (isString(method) ? METHODS.test(method) : id !== undefined)
}

/** Whether only a running program sends the message. */
export function isLive(message: JsonObject): boolean {
  const { event } = unwrapped(message)
  return event !== message || event.ephemeral === true || event.type === 'result' || event.jsonrpc === '2.0'
}

/** The types of events that hold parts of a session. Any program may have others with such names. */
const OWN_TYPE = /* @__PURE__ */ new RegExp(
  '^(?:assistant|model|subagent|hook|user_input)[.]\\w+$|^(?:permission[.](?:completed|requested)|skill[.]invoked' +
    '|user[.]message|system[.](?:message|notification)|tool[.](?:execution_\\w+|user_requested)' +
    '|session[.](?:compaction_\\w+|model_change|resume|shutdown|snapshot_rewind|start|usage_\\w+))$',
)

/** Whether the value is a message of Copilot: all fields of an event prove it, and those of the last line of `copilot -p`. */
export function isCopilotMessage(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, data, id, timestamp, parentId, sessionId, usage } = unwrapped(value).event
  if (type === 'result') return isString(sessionId) && isObject(usage) && 'premiumRequests' in usage
  if (!isString(type) || !(OWN_TYPE.test(type) || type === 'abort')) return false
  if (type === 'session.start' && !isString(asObject(data).sessionId)) return false
  return isObject(data) && isString(id) && isString(timestamp) && (isString(parentId) || parentId === null)
}

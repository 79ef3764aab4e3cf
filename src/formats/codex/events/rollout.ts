import { omitUndefined } from '../../../json/omit-undefined.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../../json/values.ts'
import type { UserContentPart } from '../../../state/content.ts'
import { isoTime } from '../../translation/time.ts'
import { pathOf } from '../items/fields.ts'
import { imageAt, readItem, userParts } from '../items/read-item.ts'
import { readStoredCall } from '../items/stored-call.ts'
import { readError } from './error.ts'
import type { CodexEvent } from './event.ts'
import { IGNORED_EVENTS, IGNORED_LINES } from './ignored-types.ts'
import { usageEvent } from './usage.ts'

type Place = Pick<CodexEvent, 'threadId' | 'time'>

/** Whether the value is a line of a rollout. */
export function isRolloutLine({ type, payload }: JsonObject): boolean {
  return isString(type) && isObject(payload) && (Object.hasOwn(LINES, type) || IGNORED_LINES.has(type))
}

/**
 * Reads a line of a rollout: `{ timestamp, type, payload }`. The reader of several files adds `thread_id`. Returns undefined for an unknown
 * type.
 */
export function readRolloutLine(line: JsonObject): readonly CodexEvent[] | undefined {
  const type = asString(line.type) ?? ''
  if (IGNORED_LINES.has(type)) return []
  const read = Object.hasOwn(LINES, type) ? LINES[type] : undefined
  return read?.(asObject(line.payload), {
    threadId: asString(line.thread_id),
    time: asString(line.timestamp),
  })
}

type ReadLine = (payload: JsonObject, place: Place) => readonly CodexEvent[] | undefined

const LINES: Readonly<Record<string, ReadLine>> = {
  session_meta: readSessionMeta,
  turn_context: ({ model }, place) => [{ type: 'settings', model: asString(model), ...place }],
  event_msg: readProgramEvent,
  response_item: readResponseItem,
  compacted: ({ message }, place) => [{ type: 'compacted', summary: asString(message), ...place }],
  token_usage_record: ({ usage, thread_token_usage }, place) =>
    usageEvent(place, { last: usage, total: thread_token_usage }),
}

function readSessionMeta(meta: JsonObject, place: Place): readonly CodexEvent[] {
  const id = asString(meta.id) ?? asString(meta.session_id)
  if (id === undefined) return []
  const spawn = asObject(asObject(asObject(meta.source).subagent).thread_spawn)
  const base = asString(asObject(meta.history_base).thread_id)
  return [
    {
      ...place,
      type: 'thread',
      form: 'rollout',
      id,
      parentId: asString(meta.parent_thread_id) ?? asString(spawn.parent_thread_id),
      forkedFromId: asString(meta.forked_from_id) ?? base,
      agentPath: asString(meta.agent_path) ?? asString(spawn.agent_path),
      facts: omitUndefined({ id, cwd: asString(meta.cwd), version: asString(meta.cli_version) }),
    },
  ]
}

/** Reads an event of the program. */
function readProgramEvent(payload: JsonObject, place: Place): readonly CodexEvent[] {
  const type = asString(payload.type) ?? 'untyped'
  if (IGNORED_EVENTS.has(type)) return []
  const read = Object.hasOwn(PROGRAM_EVENTS, type) ? PROGRAM_EVENTS[type] : undefined
  return (
    read?.(payload, place) ?? [
      { type: 'unknown', code: 'unknown-block', name: `event_msg/${type}`, ...place },
    ]
  )
}

const PROGRAM_EVENTS: Readonly<Record<string, ReadLine>> = {
  task_started: readTurnStart,
  turn_started: readTurnStart,
  task_complete: readTurnEnd,
  turn_complete: readTurnEnd,
  turn_aborted: ({ turn_id, duration_ms, completed_at }, place) => [
    {
      ...place,
      type: 'turn-ended',
      turnId: asString(turn_id),
      outcome: 'interrupted',
      endedAt: secondsOf(completed_at),
      durationMs: asFiniteNumber(duration_ms),
    },
  ],
  item_completed: readCompletedItem,
  user_message: ({ message, images, local_images }, place) => [
    { type: 'announced', role: 'user', content: announcedParts(message, images, local_images), ...place },
  ],
  agent_message: ({ message }, place) => [
    { type: 'announced', role: 'assistant', content: textParts(message), ...place },
  ],
  token_count: ({ info }, place) => {
    const { last_token_usage, total_token_usage } = asObject(info)
    return usageEvent(place, { last: last_token_usage, total: total_token_usage })
  },
  exec_command_end: (payload, place) => completedCall('command_execution', payload, place),
  patch_apply_end: (payload, place) =>
    completedCall(
      'file_change',
      { ...payload, status: payload.success === false ? 'failed' : payload.status },
      place,
    ),
  mcp_tool_call_end: (payload, place) => completedCall('mcp_tool_call', mcpFields(payload), place),
  web_search_end: (payload, place) => completedCall('web_search', payload, place),
  view_image_tool_call: (payload, place) => completedCall('image_view', payload, place),
  error: ({ message }, place) => [
    { type: 'note', subtype: 'error', message: asString(message) ?? '', ...place },
  ],
  warning: ({ message }, place) => [
    { type: 'note', subtype: 'warning', message: asString(message) ?? '', ...place },
  ],
  stream_error: ({ message }, place) => [{ type: 'retry', message: asString(message) ?? '', ...place }],
}

function readTurnStart({ turn_id, root_turn_id }: JsonObject, place: Place): readonly CodexEvent[] {
  return [{ type: 'turn-started', turnId: asString(turn_id), rootTurnId: asString(root_turn_id), ...place }]
}

function readTurnEnd(payload: JsonObject, place: Place): readonly CodexEvent[] {
  const error = readError(payload.error)
  return [
    {
      ...place,
      type: 'turn-ended',
      turnId: asString(payload.turn_id),
      outcome: error ? 'failed' : 'finished',
      error,
      endedAt: secondsOf(payload.completed_at),
      durationMs: asFiniteNumber(payload.duration_ms),
      lastText: asString(payload.last_agent_message),
    },
  ]
}

function secondsOf(seconds: unknown): string | undefined {
  return isoTime((asFiniteNumber(seconds) ?? Number.NaN) * 1_000)
}

function readCompletedItem(payload: JsonObject, place: Place): readonly CodexEvent[] {
  const times = { started: payload.started_at_ms, completed: payload.completed_at_ms }
  const item = readItem(payload.item, times)
  const { type } = asObject(payload.item)
  if (!item)
    return [{ type: 'unknown', code: 'unknown-block', name: `item/${asString(type) ?? 'untyped'}`, ...place }]
  return [
    {
      type: 'item',
      item,
      isCompleted: true,
      time: place.time,
      threadId: place.threadId ?? asString(payload.thread_id),
    },
  ]
}

/** Reads the end of a call in the words of versions without items. */
function completedCall(type: string, payload: JsonObject, place: Place): readonly CodexEvent[] {
  const item = readItem({ ...payload, type, id: payload.call_id })
  return item
    ? [
        {
          ...place,
          type: 'item',
          item: { ...item, completedAt: place.time },
          isCompleted: true,
          origin: 'event',
        },
      ]
    : []
}

/** The result is `{ Ok: … }` or `{ Err: '…' }`. */
function mcpFields({ invocation, result, ...payload }: JsonObject): JsonObject {
  const { server, tool, arguments: input } = asObject(invocation)
  const { Ok: ok, Err: error } = asObject(result)
  const isFailed = error !== undefined || asObject(ok).is_error === true || asObject(ok).isError === true
  return {
    ...payload,
    server,
    tool,
    arguments: input,
    result: ok,
    error,
    status: isFailed ? 'failed' : 'completed',
  }
}

function announcedParts(message: unknown, images: unknown, localImages: unknown): readonly UserContentPart[] {
  const paths = [...asArray(images), ...asArray(localImages)].filter(isString)
  return [...textParts(message), ...paths.map((path) => imageAt(pathOf(path)))]
}

function textParts(text: unknown): readonly UserContentPart[] {
  return isString(text) ? [{ type: 'text', text }] : []
}

/** Reads an entry of the model's history. */
function readResponseItem(payload: JsonObject, place: Place): readonly CodexEvent[] {
  const { type } = payload
  if (type === 'message') return readMessage(payload, place)
  if (type === 'reasoning') return readReasoning(payload, place)
  if (type === 'agent_message') return readAgentMessage(payload, place)
  const callId = asString(payload.call_id)
  if (isString(type) && type.endsWith('_output'))
    return callId === undefined
      ? []
      : [{ type: 'output', callId, output: payload.output ?? payload.tools, ...place }]
  const call = readStoredCall(payload)
  if (call) return [{ type: 'call', call, output: ownResult(payload), ...place }]
  if (isString(type) && IGNORED_EVENTS.has(type)) return []
  return [
    {
      ...place,
      type: 'unknown',
      code: 'unknown-block',
      name: `response_item/${asString(type) ?? 'untyped'}`,
    },
  ]
}

/** Returns the result of a call that the model's service runs: it stands in the entry of the call. */
function ownResult({ type, status, result }: JsonObject): string | undefined {
  const isOwn = type === 'web_search_call' || type === 'image_generation_call'
  return isOwn && status === 'completed' ? (asString(result) ?? '') : undefined
}

/** Messages to the model from the program itself have the role `developer` or `system`. */
function readMessage({ role, id, content }: JsonObject, place: Place): readonly CodexEvent[] {
  if (role !== 'user' && role !== 'assistant') return []
  const parts = isString(content) ? textParts(content) : userParts(content)
  return [{ type: 'message', role, id: asString(id), content: parts, ...place }]
}

/** Thinking without an id gets one of its own later. */
function readReasoning(payload: JsonObject, place: Place): readonly CodexEvent[] {
  const item = readItem({ ...payload, id: asString(payload.id) ?? '' })
  return item
    ? [
        {
          ...place,
          type: 'item',
          item: { ...item, startedAt: place.time },
          isCompleted: true,
          origin: 'entry',
        },
      ]
    : []
}

/** The payload of a message between agents follows its head, in clear or encrypted. Ciphertext has no spaces. */
function readAgentMessage({ id, author, content }: JsonObject, place: Place): readonly CodexEvent[] {
  const parts = asArray(content).map(asObject)
  const head = parts.map(({ text }) => asString(text) ?? '').join('')
  const secret = parts.map(({ encrypted_content }) => asString(encrypted_content) ?? '').join('')
  const [, kind = ''] = /^Message Type: (\w+)/.exec(head) ?? []
  const [, clear = ''] = /\nPayload:\n([\s\S]*)$/.exec(head) ?? []
  const text = clear + (/\s/.test(secret.trim()) ? secret : '')
  return [
    {
      ...place,
      type: 'agent-message',
      id: asString(id),
      author: asString(author) ?? '',
      kind,
      text: text === '' ? undefined : text,
    },
  ]
}

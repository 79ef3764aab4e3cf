import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { imageAt, type UserContentPart } from '../../../core/state/content.ts'
import { reviewText } from '../../../programs/codex/tool-names.ts'
import { typeName } from '../../../reading/context.ts'
import { usageEvent } from '../blocks/usage.ts'
import { isoTimeOfSeconds, pathOf, readError, textParts, unknownParts, userParts } from '../items/item.ts'
import { readItem } from '../items/read-item.ts'
import { readStoredCall } from '../items/stored-call.ts'
import {
  type CodexEvent,
  type CodexEventOf,
  type EventPlace,
  type KeptMessage,
  unknownBlock,
} from './event.ts'
import { IGNORED_EVENTS, IGNORED_LINES } from './exec.ts'

/** Whether the value is a line of a rollout. */
export function isRolloutLine({ type, payload }: JsonObject): boolean {
  return isString(type) && isObject(payload) && (Object.hasOwn(LINES, type) || IGNORED_LINES.has(type))
}

/**
 * Reads a line of a rollout: `{ timestamp, type, payload }`. The reader of several files adds `thread_id`. Returns
 * undefined for an unknown type.
 */
export function readRolloutLine(line: JsonObject): readonly CodexEvent[] | undefined {
  const type = asString(line.type) ?? ''
  if (IGNORED_LINES.has(type)) return []
  const read = Object.hasOwn(LINES, type) ? LINES[type] : undefined
  return read?.(asObject(line.payload), {
    threadId: asString(line.thread_id),
    time: asString(line.timestamp),
    ordinal: asFiniteNumber(line.ordinal),
  })
}

const LINES: Readonly<Record<string, ReadPayload>> = {
  session_meta: readSessionMeta,
  turn_context: ({ model }, { threadId, time }) => [
    { type: 'settings', threadId, time, model: asString(model) },
  ],
  event_msg: readProgramEvent,
  response_item: readResponseItem,
  compacted: ({ message, replacement_history }, { threadId, time }) => [
    {
      type: 'compacted',
      threadId,
      time,
      summary: asString(message),
      kept: asArray(replacement_history).flatMap((entry) => readKept(asObject(entry)) ?? []),
    },
  ],
  token_usage_record: ({ usage, thread_token_usage }, place) =>
    usageEvent(place, { last: usage, total: thread_token_usage }),
}

function readSessionMeta(meta: JsonObject, { threadId, time }: EventPlace): readonly CodexEvent[] {
  const id = asString(meta.id)
  if (id === undefined) return []
  const agentPath = asString(meta.agent_path) ?? asString(spawnOf(meta).agent_path)
  const nickname = asString(meta.agent_nickname) ?? asString(spawnOf(meta).agent_nickname)
  return [
    {
      type: 'thread',
      threadId,
      time,
      form: 'rollout',
      id,
      ...threadOrigin(meta),
      agentKind: asString(asObject(meta.source).subagent),
      keptUntil: asFiniteNumber(asObject(meta.history_base).end_ordinal_exclusive),
      agentPath,
      nickname: agentPath === undefined ? nickname : undefined,
      role: asString(meta.agent_role) ?? asString(spawnOf(meta).agent_role),
      facts: omitUndefined({ id, cwd: asString(meta.cwd), version: asString(meta.cli_version) }),
    },
  ]
}

/** Returns the thread that started this one, and the thread that this one goes on from. */
export function threadOrigin(meta: JsonObject): Pick<CodexEventOf<'thread'>, 'parentId' | 'forkedFromId'> {
  return {
    parentId: asString(meta.parent_thread_id) ?? asString(spawnOf(meta).parent_thread_id),
    forkedFromId: asString(meta.forked_from_id) ?? asString(asObject(meta.history_base).thread_id),
  }
}

function spawnOf({ source }: JsonObject): JsonObject {
  return asObject(asObject(asObject(source).subagent).thread_spawn)
}

/** Reads an entry of the model's history: the payload of a line of type `response_item`. */
function readResponseItem(payload: JsonObject, place: EventPlace): readonly CodexEvent[] {
  const { type } = payload
  const { threadId, time } = place
  if (type === 'message') return readMessage(payload, place)
  if (type === 'reasoning') return readReasoning(payload, place)
  if (type === 'agent_message') return readAgentMessage(payload, place)
  const callId = asString(payload.call_id)
  if (isString(type) && type.endsWith('_output'))
    // An output with a name answers no call: the program tells the model of a goal.
    return callId === undefined
      ? isString(payload.name)
        ? []
        : [unknownBlock(`response_item/${type}`, place)]
      : [{ type: 'output', threadId, time, callId, output: payload.output ?? payload.tools }]
  const call = readStoredCall(payload)
  if (call) return [{ type: 'call', threadId, time, call, output: ownResult(payload) }]
  if (isString(type) && IGNORED_EVENTS.has(type)) return []
  return [unknownBlock(`response_item/${typeName(type)}`, place)]
}

/** Returns the result of a call that the model's service runs: it stands in the entry of the call. */
function ownResult({ type, status, result }: JsonObject): string | undefined {
  const isOwn = type === 'web_search_call' || type === 'image_generation_call'
  return isOwn && status === 'completed' ? (asString(result) ?? '') : undefined
}

/** Messages to the model from the program itself have the role `developer` or `system`. */
function readMessage(
  { role, id, content }: JsonObject,
  { threadId, time }: EventPlace,
): readonly CodexEvent[] {
  if (role !== 'user' && role !== 'assistant') return []
  const parts = isString(content) ? textParts(content) : userParts(content)
  return [{ type: 'message', threadId, time, role, id: asString(id), content: parts }]
}

/** Reads an entry of the history that a compaction leaves to the model. */
function readKept({ type, role, content, call_id }: JsonObject): KeptMessage | undefined {
  if (type !== 'message') return isString(call_id) ? { callId: call_id } : undefined
  if (role !== 'user' && role !== 'assistant') return undefined
  return { role, content: isString(content) ? textParts(content) : userParts(content) }
}

/** Thinking without an id gets one of its own later. */
function readReasoning(payload: JsonObject, { threadId, time }: EventPlace): readonly CodexEvent[] {
  const read = readItem(withChanges(payload, { id: asString(payload.id) ?? '' }))
  if (!read) return []
  const item = withChanges(read, { startedAt: time })
  return [{ type: 'item', threadId, time, item, isCompleted: true, origin: 'entry' }]
}

/** The payload of a message between agents follows its head, in clear or encrypted. Ciphertext has no spaces. */
function readAgentMessage(
  { id, author, content }: JsonObject,
  { threadId, time }: EventPlace,
): readonly CodexEvent[] {
  const parts = asArray(content).map(asObject)
  const head = parts.map(({ text }) => asString(text) ?? '').join('')
  const secret = parts.map(({ encrypted_content }) => asString(encrypted_content) ?? '').join('')
  const [, kind = ''] = /^Message Type: (\w+)/.exec(head) ?? []
  const [, clear = ''] = /\nPayload:\n([\s\S]*)$/.exec(head) ?? []
  const text = clear + (/\s/.test(secret.trim()) ? secret : '')
  return [
    {
      type: 'agent-message',
      threadId,
      time,
      id: asString(id),
      author: asString(author) ?? '',
      kind,
      text: text === '' ? undefined : text,
    },
  ]
}

/** Reads the payload of a line. Returns undefined for an unknown type. */
type ReadPayload = (payload: JsonObject, place: EventPlace) => readonly CodexEvent[] | undefined

/** Reads an event of the program: the payload of a line of type `event_msg`. */
function readProgramEvent(payload: JsonObject, place: EventPlace): readonly CodexEvent[] {
  const type = typeName(payload.type)
  if (IGNORED_EVENTS.has(type)) return []
  const read = Object.hasOwn(PROGRAM_EVENTS, type) ? PROGRAM_EVENTS[type] : undefined
  return read?.(payload, place) ?? [unknownBlock(`event_msg/${type}`, place)]
}

const PROGRAM_EVENTS: Readonly<Record<string, ReadPayload>> = {
  task_started: readTurnStart,
  turn_started: readTurnStart,
  task_complete: readTurnEnd,
  turn_complete: readTurnEnd,
  turn_aborted: ({ turn_id, duration_ms, completed_at }, { threadId, time }) => [
    {
      type: 'turn-ended',
      threadId,
      time,
      turnId: asString(turn_id),
      outcome: 'interrupted',
      endedAt: isoTimeOfSeconds(completed_at),
      durationMs: asFiniteNumber(duration_ms),
    },
  ],
  thread_rolled_back: ({ num_turns }, { threadId, time }) => [
    { type: 'rewound', threadId, time, place: { turns: asFiniteNumber(num_turns) ?? 0 } },
  ],
  item_completed: readCompletedItem,
  user_message: ({ message, images, local_images }, { threadId, time }) => [
    {
      type: 'announced',
      threadId,
      time,
      role: 'user',
      content: announcedParts(message, images, local_images),
    },
  ],
  agent_message: ({ message }, { threadId, time }) => [
    { type: 'announced', threadId, time, role: 'assistant', content: textParts(message) },
  ],
  token_count: ({ info }, place) => {
    const { last_token_usage, total_token_usage } = asObject(info)
    return usageEvent(place, { last: last_token_usage, total: total_token_usage })
  },
  exec_command_end: (payload, place) => completedCall('command_execution', payload, place),
  patch_apply_end: (payload, place) =>
    completedCall(
      'file_change',
      withChanges(payload, { status: payload.success === false ? 'failed' : payload.status }),
      place,
    ),
  mcp_tool_call_end: (payload, place) => completedCall('mcp_tool_call', mcpFields(payload), place),
  web_search_end: (payload, place) => completedCall('web_search', payload, place),
  view_image_tool_call: (payload, place) => completedCall('image_view', payload, place),
  entered_review_mode: readReview,
  exited_review_mode: readReview,
  error: ({ message }, { threadId, time }) => [
    { type: 'note', threadId, time, subtype: 'error', message: asString(message) ?? '' },
  ],
  warning: ({ message }, { threadId, time }) => [
    { type: 'note', threadId, time, subtype: 'warning', message: asString(message) ?? '' },
  ],
  stream_error: ({ message }, { threadId, time }) => [
    { type: 'retry', threadId, time, message: asString(message) ?? '' },
  ],
}

function readTurnStart(
  { turn_id, root_turn_id }: JsonObject,
  { threadId, time, ordinal }: EventPlace,
): readonly CodexEvent[] {
  const [turnId, rootTurnId] = [asString(turn_id), asString(root_turn_id)]
  return [{ type: 'turn-started', threadId, time, turnId, rootTurnId, ordinal }]
}

function readTurnEnd(payload: JsonObject, { threadId, time }: EventPlace): readonly CodexEvent[] {
  const error = readError(payload.error)
  return [
    {
      type: 'turn-ended',
      threadId,
      time,
      turnId: asString(payload.turn_id),
      outcome: error ? 'failed' : 'finished',
      error,
      endedAt: isoTimeOfSeconds(payload.completed_at),
      durationMs: asFiniteNumber(payload.duration_ms),
      lastText: asString(payload.last_agent_message),
      isWithoutText: payload.last_agent_message === null && !error,
    },
  ]
}

function readReview(payload: JsonObject, { threadId, time }: EventPlace): readonly CodexEvent[] {
  return [{ type: 'note', threadId, time, subtype: 'review', message: reviewText(payload) }]
}

function readCompletedItem(payload: JsonObject, place: EventPlace): readonly CodexEvent[] {
  const item = readItem(payload.item, { started: payload.started_at_ms, completed: payload.completed_at_ms })
  if (!item) return [unknownBlock(`item/${typeName(asObject(payload.item).type)}`, place)]
  const ofThread = { ...place, threadId: place.threadId ?? asString(payload.thread_id) }
  const unknown = unknownParts(payload.item).map((name) => unknownBlock(name, ofThread))
  return [{ type: 'item', ...ofThread, item, isCompleted: true }, ...unknown]
}

/** Reads the end of a call in the words of versions without items. Without an id it is the result of no call. */
function completedCall(type: string, payload: JsonObject, place: EventPlace): readonly CodexEvent[] {
  const read = readItem(withChanges(payload, { type, id: payload.call_id }))
  if (!read) return [unknownBlock(`event_msg/${typeName(payload.type)}`, place)]
  const { threadId, time } = place
  const item = withChanges(read, { completedAt: time })
  return [{ type: 'item', threadId, time, item, isCompleted: true, origin: 'event' }]
}

/** The result is `{ Ok: … }` or `{ Err: '…' }`. */
function mcpFields({ invocation, result, ...payload }: JsonObject): JsonObject {
  const { server, tool, arguments: input } = asObject(invocation)
  const { Ok: ok, Err: error } = asObject(result)
  const isFailed = error !== undefined || asObject(ok).is_error === true || asObject(ok).isError === true
  const status = isFailed ? 'failed' : 'completed'
  return withChanges<JsonObject>(payload, { server, tool, arguments: input, result: ok, error, status })
}

function announcedParts(message: unknown, images: unknown, localImages: unknown): readonly UserContentPart[] {
  const paths = [...asArray(images), ...asArray(localImages)].filter(isString)
  return [...textParts(message), ...paths.map((path) => imageAt(pathOf(path)))]
}

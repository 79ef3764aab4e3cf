import { withChanges } from '../../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { imageAt, type UserContentPart } from '../../../core/state/content.ts'
import { reviewText } from '../../../programs/codex/review.ts'
import { typeName } from '../../../reading/context.ts'
import { usageEvent } from '../blocks/usage.ts'
import { isoTimeOfSeconds, pathOf, readError, textParts, unknownParts } from '../items/item.ts'
import { readItem } from '../items/read-item.ts'
import { type CodexEvent, type EventPlace, unknownBlock } from './event.ts'
import { IGNORED_EVENTS } from './exec.ts'

/** Reads the payload of a line. Returns undefined for an unknown type. */
export type ReadPayload = (payload: JsonObject, place: EventPlace) => readonly CodexEvent[] | undefined

/** Reads an event of the program: the payload of a line of type `event_msg`. */
export function readProgramEvent(payload: JsonObject, place: EventPlace): readonly CodexEvent[] {
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

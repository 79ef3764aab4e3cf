import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../../json/values.ts'
import type { UserContentPart } from '../../../state/content.ts'
import { isoTime } from '../../translation/time.ts'
import { pathOf } from '../items/fields.ts'
import { imageAt, readItem } from '../items/read-item.ts'
import { readError } from './error.ts'
import type { CodexEvent } from './event.ts'
import { IGNORED_EVENTS } from './ignored-types.ts'
import { type ReadPayload, type RolloutPlace, textParts } from './rollout-place.ts'
import { usageEvent } from './usage.ts'

/** Reads an event of the program: the payload of a line of type `event_msg`. */
export function readProgramEvent(payload: JsonObject, place: RolloutPlace): readonly CodexEvent[] {
  const type = asString(payload.type) ?? 'untyped'
  if (IGNORED_EVENTS.has(type)) return []
  const read = Object.hasOwn(PROGRAM_EVENTS, type) ? PROGRAM_EVENTS[type] : undefined
  return (
    read?.(payload, place) ?? [
      { type: 'unknown', code: 'unknown-block', name: `event_msg/${type}`, ...place },
    ]
  )
}

const PROGRAM_EVENTS: Readonly<Record<string, ReadPayload>> = {
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

function readTurnStart({ turn_id, root_turn_id }: JsonObject, place: RolloutPlace): readonly CodexEvent[] {
  return [{ type: 'turn-started', turnId: asString(turn_id), rootTurnId: asString(root_turn_id), ...place }]
}

function readTurnEnd(payload: JsonObject, place: RolloutPlace): readonly CodexEvent[] {
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

function readCompletedItem(payload: JsonObject, place: RolloutPlace): readonly CodexEvent[] {
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
function completedCall(type: string, payload: JsonObject, place: RolloutPlace): readonly CodexEvent[] {
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

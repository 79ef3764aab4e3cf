import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, isString, type JsonObject } from '../../../json/values.ts'
import type { CodexEvent, CodexEventOf } from './event.ts'
import { IGNORED_LINES } from './ignored-types.ts'
import { readResponseItem } from './rollout-entry.ts'
import { readProgramEvent } from './rollout-event.ts'
import type { ReadPayload, RolloutPlace } from './rollout-place.ts'
import { usageEvent } from './usage.ts'

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

const LINES: Readonly<Record<string, ReadPayload>> = {
  session_meta: readSessionMeta,
  turn_context: ({ model }, { threadId, time }) => [
    { type: 'settings', threadId, time, model: asString(model) },
  ],
  event_msg: readProgramEvent,
  response_item: readResponseItem,
  compacted: ({ message }, { threadId, time }) => [
    { type: 'compacted', threadId, time, summary: asString(message) },
  ],
  token_usage_record: ({ usage, thread_token_usage }, place) =>
    usageEvent(place, { last: usage, total: thread_token_usage }),
}

function readSessionMeta(meta: JsonObject, { threadId, time }: RolloutPlace): readonly CodexEvent[] {
  const id = asString(meta.id)
  if (id === undefined) return []
  return [
    {
      type: 'thread',
      threadId,
      time,
      form: 'rollout',
      id,
      ...threadOrigin(meta),
      agentPath: asString(meta.agent_path) ?? asString(spawnOf(meta).agent_path),
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

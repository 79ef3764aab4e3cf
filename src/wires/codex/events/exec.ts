import { asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import { execId, readPlan } from '../../../programs/codex/tool-names.ts'
import { typeName } from '../../../reading/context.ts'
import { readTokens, totalOf } from '../blocks/usage.ts'
import { readItem } from '../items/read-item.ts'
import { type CodexEvent, unknownBlock } from './event.ts'

/** Whether the value is a line of `codex exec --json`. An `error` line alone may be that of another program. */
export function isExecLine({ type, thread_id, item, usage, error }: JsonObject): boolean {
  switch (type) {
    case 'thread.started':
      return isString(thread_id)
    case 'turn.completed':
      return typeof asObject(usage).input_tokens === 'number'
    case 'turn.failed':
      return isString(asObject(error).message)
    default:
      return isString(type) && /^item\.(started|updated|completed)$/.test(type) && isString(asObject(item).id)
  }
}

/**
 * Reads a line of `codex exec --json`. Each process counts its items from 0, so the ids get its number. Returns
 * undefined for an unknown type.
 */
export function readExecLine(line: JsonObject, process: number): readonly CodexEvent[] | undefined {
  const type = asString(line.type) ?? ''
  return Object.hasOwn(LINES, type) ? LINES[type]?.(line, process) : undefined
}

const LINES: Readonly<Record<string, (line: JsonObject, process: number) => readonly CodexEvent[]>> = {
  'thread.started': readThread,
  'turn.started': () => [{ type: 'turn-started' }],
  'turn.completed': ({ usage }) => [
    ...readUsage(usage),
    { type: 'turn-ended', outcome: 'finished', endsProcess: true },
  ],
  'turn.failed': ({ error }) => [
    {
      type: 'turn-ended',
      outcome: 'failed',
      error: { message: asString(asObject(error).message) ?? '' },
      endsProcess: true,
    },
  ],
  'item.started': (line, process) => readItemLine(line, process, false),
  'item.updated': (line, process) => readItemLine(line, process, false),
  'item.completed': (line, process) => readItemLine(line, process, true),
  error: ({ message }) => {
    const text = asString(message) ?? ''
    return [RECONNECTING.test(text) ? { type: 'retry', message: text } : { type: 'error', message: text }]
  },
}

const RECONNECTING = /^Reconnecting\.\.\. \d+\/\d+/

function readThread({ thread_id }: JsonObject): readonly CodexEvent[] {
  const id = asString(thread_id)
  return id === undefined ? [] : [{ type: 'thread', form: 'exec', id, facts: { id } }]
}

/** The tokens are those of the whole thread so far. */
function readUsage(usage: unknown): readonly CodexEvent[] {
  const [sum, total] = [readTokens(usage), totalOf(usage)]
  return sum && total !== undefined ? [{ type: 'usage', total, sum }] : []
}

function readItemLine({ item }: JsonObject, process: number, isCompleted: boolean): readonly CodexEvent[] {
  const fields = asObject(item)
  if (fields.type === 'todo_list') {
    const todos = readPlan(fields.items)
    return [todos ? { type: 'plan', todos } : unknownBlock('item/todo_list', {})]
  }
  const id = asString(fields.id)
  const read = readItem({ ...fields, id: id === undefined ? undefined : execId(process, id) })
  if (read) return [{ type: 'item', item: read, isCompleted }]
  return [unknownBlock(`item/${typeName(fields.type)}`, {})]
}

/** The types of rollout lines without content of the conversation. */
export const IGNORED_LINES: ReadonlySet<string> = new Set([
  'world_state',
  'inter_agent_communication_metadata',
  'retained_context',
  'ghost_snapshot',
])

/** The types of a rollout's events that repeat other lines, or have no content of the conversation. */
export const IGNORED_EVENTS: ReadonlySet<string> = new Set([
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'thread_settings_applied',
  'thread_name_updated',
  'thread_goal_updated',
  'session_configured',
  'item_started',
  'exec_command_begin',
  'patch_apply_begin',
  'mcp_tool_call_begin',
  'web_search_begin',
  'collab_agent_spawn_begin',
  'collab_agent_spawn_end',
  'collab_agent_interaction_begin',
  'collab_agent_interaction_end',
  'collab_waiting_begin',
  'collab_waiting_end',
  'collab_close_begin',
  'collab_close_end',
  'turn_diff',
  'plan_update',
  'background_event',
  'deprecation_notice',
  'mcp_startup_update',
  'mcp_startup_complete',
  'undo_started',
  'undo_completed',
  'shutdown_complete',
  'ghost_snapshot',
  'additional_tools',
  'compaction',
  'context_compacted',
  'context_compaction',
  'compaction_summary',
])

/** The messages of the app-server about items whose end has the same content, or that have none. */
export const IGNORED_NOTES: ReadonlySet<string> = new Set([
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/mcpToolCall/progress',
  'item/webSearch/progress',
  'item/autoApprovalReview/started',
  'item/autoApprovalReview/completed',
])

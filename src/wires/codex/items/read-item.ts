import { isoTime } from '../../../core/json/iso-time.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { textOfContent } from '../../../core/state/content.ts'
import { callStatus, readAgentCall } from '../../../programs/codex/agent-call.ts'
import { commandText } from '../../../programs/codex/command.ts'
import { changedPaths, fileChangeOf, readChanges } from '../../../programs/codex/file-change.ts'
import { mcpParts, mcpToolName } from '../../../programs/codex/mcp.ts'
import {
  COMMAND,
  FILE_CHANGE,
  IMAGE_GENERATION,
  IMAGE_VIEW,
  reviewText,
  snakeCase,
  WEB_SEARCH,
} from '../../../programs/codex/tool-names.ts'
import { type Item, type NoteItem, pathOf, type ToolItem, userParts, withSnakeCase } from './item.ts'
import { queryOf } from './stored-call.ts'

/** The times of an item, in ms since the epoch. A rollout has them beside the item. */
interface ItemTimes {
  readonly started: unknown
  readonly completed: unknown
}

/**
 * Returns an item of any form: `agentMessage` of the app-server, `AgentMessage` of a rollout, or `agent_message` of
 * exec. Undefined for an unknown type, or without an id.
 */
export function readItem(value: unknown, times?: ItemTimes): Item | undefined {
  const fields = withSnakeCase(asObject(value))
  const id = asString(fields.id)
  const type = snakeCase(asString(fields.type) ?? '')
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (id === undefined || !read) return undefined
  const startedAt = isoTime(times?.started ?? fields.started_at_ms)
  return read(fields, { id, startedAt, completed: times?.completed ?? fields.completed_at_ms })
}

/** The facts that every item has. */
interface ItemHead {
  readonly id: string
  readonly startedAt?: string | undefined
  /** In ms since the epoch. */
  readonly completed?: unknown
}

type ReadItem = (fields: JsonObject, head: ItemHead) => Item

const READERS: Readonly<Record<string, ReadItem>> = {
  user_message: ({ content }, { id, startedAt }) => ({
    id,
    startedAt,
    kind: 'user',
    content: userParts(content),
  }),
  agent_message: (fields, head) => textItem(head, 'text', textOf(fields)),
  plan: (fields, { id, startedAt }) => ({ id, startedAt, kind: 'text', text: textOf(fields), isPlan: true }),
  reasoning: (fields, head) => textItem(head, 'thinking', thinkingOf(fields)),
  command_execution: commandItem,
  file_change: fileChangeItem,
  mcp_tool_call: mcpItem,
  dynamic_tool_call: dynamicItem,
  web_search: webSearchItem,
  image_view: ({ path }, head) =>
    toolItem(head, IMAGE_VIEW, {
      input: { path: pathOf(asString(path) ?? '') },
      status: 'completed',
      output: '',
    }),
  image_generation: ({ status, result, revised_prompt }, head) =>
    toolItem(head, IMAGE_GENERATION, {
      input: { prompt: asString(revised_prompt) ?? '' },
      status: callStatus(status),
      output: asString(result) ?? '',
    }),
  collab_agent_tool_call: agentCallItem,
  collab_tool_call: agentCallItem,
  sub_agent_activity: ({ kind, agent_thread_id, agent_path }, { id, startedAt }) => ({
    id,
    startedAt,
    kind: 'activity',
    activity: asString(kind) ?? '',
    agentId: asString(agent_thread_id) ?? '',
    agentPath: asString(agent_path),
  }),
  context_compaction: (_, { id, startedAt }) => ({ id, startedAt, kind: 'compaction' }),
  hook_prompt: ({ fragments }, head) =>
    noteItem(
      head,
      'hook',
      asArray(fragments)
        .map((part) => asString(asObject(part).text) ?? '')
        .join('\n'),
    ),
  error: ({ message }, head) => noteItem(head, 'warning', message),
  entered_review_mode: (fields, head) => ({
    ...noteItem(head, 'review', reviewText(fields)),
    review: 'entered',
  }),
  exited_review_mode: (fields, head) => ({
    ...noteItem(head, 'review', reviewText(fields)),
    review: 'exited',
  }),
}

function agentCallItem(fields: JsonObject, { id, startedAt, completed }: ItemHead): Item {
  return { id, startedAt, completedAt: isoTime(completed), kind: 'agent-call', ...readAgentCall(fields) }
}

function noteItem({ id, startedAt }: ItemHead, subtype: string, message: unknown): NoteItem {
  return { id, startedAt, kind: 'note', subtype, message: asString(message) ?? '' }
}

function textItem({ id, startedAt }: ItemHead, kind: 'text' | 'thinking', text: string): Item {
  return { id, startedAt, kind, text }
}

/** Returns the text of a message: a text, or a list of parts. */
function textOf({ text, content }: JsonObject): string {
  return asString(text) ?? textOfContent(asArray(content))
}

/** Returns the summaries of the thinking. A model without summaries has the thinking itself. Exec joins them in the same way. */
function thinkingOf({ text, summary, summary_text, content, raw_content }: JsonObject): string {
  const [summaries, raw] = [asArray(summary ?? summary_text), asArray(content ?? raw_content)]
  const parts = (summaries.length > 0 ? summaries : raw).map(
    (part) => asString(part) ?? asString(asObject(part).text),
  )
  return asString(text) ?? parts.filter(isString).join(THINKING_SEPARATOR)
}

/** Stands between two summaries of one thinking. */
const THINKING_SEPARATOR = '\n'

type Call = Pick<
  ToolItem,
  'input' | 'status' | 'output' | 'exitCode' | 'changes' | 'durationMs' | 'requestedBy'
>

function toolItem({ id, startedAt, completed }: ItemHead, toolName: string, call: Call): Item {
  return { id, startedAt, completedAt: isoTime(completed), kind: 'tool', toolName, ...call }
}

function commandItem(fields: JsonObject, head: ItemHead): Item {
  return toolItem(head, COMMAND, {
    input: { command: commandText(fields.command) },
    status: callStatus(fields.status),
    output: asString(fields.aggregated_output) ?? '',
    exitCode: asFiniteNumber(fields.exit_code),
    durationMs: durationOf(fields),
    requestedBy: snakeCase(asString(fields.source) ?? '') === 'user_shell' ? 'person' : undefined,
  })
}

function fileChangeItem(fields: JsonObject, head: ItemHead): Item {
  const files = readChanges(fields.changes)
  const status = callStatus(fields.status)
  return toolItem(head, FILE_CHANGE, {
    input: { changes: changedPaths(files) },
    status,
    output: status === 'failed' || status === 'declined' ? (asString(fields.stderr) ?? '') : '',
    changes: status === 'completed' ? files.map(fileChangeOf) : undefined,
  })
}

function mcpItem(fields: JsonObject, head: ItemHead): Item {
  const { server, tool, result, error } = fields
  return toolItem(head, mcpToolName(asString(server) ?? '', asString(tool) ?? ''), {
    input: fields.arguments ?? {},
    status: callStatus(fields.status),
    output: mcpParts({ result, error }) ?? '',
    durationMs: durationOf(fields),
  })
}

function dynamicItem(fields: JsonObject, head: ItemHead): Item {
  return toolItem(head, asString(fields.tool) ?? 'dynamic_tool_call', {
    input: fields.arguments ?? {},
    status: callStatus(fields.status),
    output: fields.content_items ?? '',
    durationMs: durationOf(fields),
  })
}

/** The search itself has no output. An open page has an URL in place of a query. */
function webSearchItem({ query, action, status }: JsonObject, head: ItemHead): Item {
  return toolItem(head, WEB_SEARCH, {
    input: { query: asString(query) || queryOf(asObject(action)) },
    status: callStatus(status),
    output: '',
  })
}

/** Returns the whole milliseconds. A rollout has seconds and nanoseconds. */
function durationOf({ duration_ms, duration }: JsonObject): number | undefined {
  const { secs, nanos } = asObject(duration)
  const [seconds, rest] = [asFiniteNumber(secs), asFiniteNumber(nanos)]
  if (seconds === undefined || rest === undefined) return asFiniteNumber(duration_ms)
  return seconds * 1_000 + Math.floor(rest / 1e6)
}

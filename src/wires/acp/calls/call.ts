import { omitUndefined } from '../../../core/json/fields.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
} from '../../../core/json/values.ts'
import { type BlockOf, messageIdOf, subagentBlockId, toolResultBlockId } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { ProgramReader, ShownCall } from '../../../programs/reader.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import type { CallNote } from '../notes.ts'

/** A call. Each update has only the fields that have changed. */
export interface Call {
  readonly id: string
  readonly conversationId: string
  /** The model's message, if the program names it. */
  readonly messageId?: string | undefined
  readonly role: 'tool' | 'agent' | 'compaction'
  readonly toolName: string
  /** The fields of all updates so far, as far as they are known. */
  readonly fields: JsonObject
  /** The output of a terminal. */
  readonly terminal?: string | undefined
  /** The tool's own record. */
  readonly response?: JsonObject | undefined
}

/** Returns a call of which no update is known yet. */
export function newCall(conversationId: string, id: string, messageId?: string): Call {
  return { id, conversationId, messageId, role: 'tool', toolName: '', fields: {} }
}

/**
 * Returns a call of any conversation. An agent's session may begin with a copy of another agent's, with the same
 * calls: the first one counts.
 */
export function findCallAnywhere(id: string | undefined, memory: AcpMemory): Call | undefined {
  return id === undefined ? undefined : findCall(memory.state.conversationOfCall(id) ?? MAIN, id, memory)
}

/**
 * Returns a call of a conversation. Its blocks show the fields of a call that has ended, and of one in a state that
 * the source went on from.
 */
export function findCall(conversationId: string, id: string, memory: AcpMemory): Call | undefined {
  const note = memory.notes.values.calls.get(memory.notes.keyOf(conversationId, id))
  const agent = memory.state.agentOfCall(id)
  const block =
    (agent && memory.state.findBlock(conversationId, subagentBlockId(id))) ??
    memory.state.findBlock(conversationId, id)
  const place = { id, conversationId, messageId: block && messageIdOf(block) }
  switch (block?.type) {
    case 'subagent':
      return { ...place, role: 'agent', ...(note ?? { toolName: '', fields: {} }) }
    case 'system':
      return { ...place, role: 'compaction', ...(note ?? { toolName: '', fields: {} }) }
    case 'tool_use':
      return { ...place, role: 'tool', ...toolFields(block, note, memory.state) }
    default:
      return note && { ...place, role: 'tool', ...note }
  }
}

function toolFields(
  { toolUseId, conversationId, toolName, input: rawInput }: BlockOf<'tool_use'>,
  note: CallNote | undefined,
  state: SessionLookups,
): Pick<Call, 'toolName' | 'fields' | 'terminal' | 'response'> {
  const result = resultOf(conversationId, toolUseId, state)
  const { output, isError } = result ?? {}
  const isOpen = note !== undefined || (result && state.isOpen(conversationId, result.id))
  if (result && !isOpen)
    return { toolName, fields: { rawInput, rawOutput: output, status: isError ? 'failed' : 'completed' } }
  const call = note ?? { toolName, fields: { rawInput, status: 'in_progress' } }
  return typeof output === 'string' ? { ...call, terminal: output } : call
}

/** Returns the result of a tool's call. It is pending while a terminal writes. */
export function resultOf(
  conversationId: string,
  toolUseId: string,
  state: SessionLookups,
): BlockOf<'tool_result'> | undefined {
  const block = state.findBlock(conversationId, toolResultBlockId(toolUseId))
  return block?.type === 'tool_result' ? block : undefined
}

/** Whether an update has ended the call. The call of an agent in the background ends before the agent does. */
export function hasEnded({ id, conversationId, role, fields }: Call, memory: AcpMemory): boolean {
  if (memory.notes.values.calls.get(memory.notes.keyOf(conversationId, id))) return false
  if (role === 'tool') return isFinalStatus(fields.status)
  if (role === 'compaction') return !memory.state.isOpen(conversationId, id)
  return memory.notes.values.launched.get(id) === true || memory.state.hasEnded(id)
}

/** Remembers the fields of a call until its end. */
export function rememberCall(
  { id, conversationId, toolName, fields, response }: Call,
  notes: AcpContext['notes'],
): void {
  const key = notes.keyOf(conversationId, id)
  if (isFinalStatus(fields.status)) {
    notes.removeEntry('calls', key)
    if (notes.values.isConnected) notes.setEntry('endedCalls', key, true)
  } else notes.setEntry('calls', key, omitUndefined({ toolName, fields, response }))
}

/** The facts that an update states about a call. An absent field stays as it was. */
export interface CallUpdate {
  readonly id: string
  readonly fields: JsonObject
  /** Further output of the call's terminal. */
  readonly terminal?: string | undefined
  /** The tool's own record. */
  readonly response?: JsonObject | undefined
  /** The call that started the agent whose call this is. */
  readonly parentId?: string | undefined
  readonly metaName?: string | undefined
  readonly meta?: JsonObject | undefined
}

/** The fields of a call that the source keeps. `null` stands for an unchanged field. */
const FIELDS = ['title', 'name', 'kind', 'status', 'rawInput', 'rawOutput', 'content', 'locations'] as const

/** Reads an update of a call; undefined if it names no call. */
export function readCallUpdate(update: JsonObject): CallUpdate | undefined {
  const id = asString(update.toolCallId)
  if (id === undefined || id === '') return undefined
  const present = FIELDS.filter((name) => update[name] !== undefined && update[name] !== null)
  const meta = metaOf(update)
  return omitUndefined({
    id,
    fields: Object.fromEntries(present.map((name) => [name, update[name]])),
    terminal: asString(asObject(asObject(update._meta).terminal_output_delta).data),
    response: isObject(meta.toolResponse) ? meta.toolResponse : undefined,
    parentId: parentIn(meta, update),
    metaName: metaNameOf(update),
    meta: isObject(update._meta) ? update._meta : undefined,
  })
}

/** Returns an update or a call with the id that the model gave to the call. */
export function withOwnId(update: JsonObject, { callId }: ProgramReader): JsonObject {
  const id = asString(update.toolCallId)
  return callId === undefined || id === undefined ? update : { ...update, toolCallId: callId(id) }
}

/** Returns the name of a call's tool in the agent's further facts. */
export function metaNameOf(update: JsonObject): string | undefined {
  return asString(metaOf(update).toolName) ?? asString(asObject(update._meta).toolName)
}

/** Each agent has its own object of further facts. */
function metaOf({ _meta }: JsonObject): JsonObject {
  const facts = Object.values(asObject(_meta)).filter(isObject)
  return Object.fromEntries(facts.flatMap((each) => Object.entries(each)))
}

/** The names that agents give to the call that started the agent of an update. */
const PARENT_NAMES = ['parentToolUseId', 'parentToolCallId', 'parent_tool_use_id', 'parent_tool_call_id']

/** Returns the call that started the agent of an update, if the agent's program names it. */
export function parentIdOf(update: JsonObject): string | undefined {
  return parentIn(metaOf(update), update)
}

function parentIn(meta: JsonObject, { _meta }: JsonObject): string | undefined {
  const own = asObject(_meta)
  return PARENT_NAMES.map((name) => asString(meta[name]) ?? asString(own[name])).find(Boolean)
}

/** Returns what a program's reader needs of a call. */
export function shownCall(
  { id, fields, toolName }: Pick<Call, 'id' | 'fields' | 'toolName'>,
  meta?: JsonObject,
): ShownCall {
  const { title, kind, rawInput: input, status } = fields
  return {
    toolUseId: id,
    toolName: toolName === '' ? undefined : toolName,
    title: asString(title),
    kind: asString(kind),
    input,
    meta,
    isPending: status === 'pending',
  }
}

/** Whether the status is the last one. */
export function isFinalStatus(status: unknown): status is 'completed' | 'failed' {
  return status === 'completed' || status === 'failed'
}

/** Returns the diffs in the content of a call. */
export function diffsIn(content: unknown): readonly JsonObject[] {
  return asArray(content).flatMap((part) => {
    const item = asObject(part)
    return item.type === 'diff' && isString(item.path) ? [item] : []
  })
}

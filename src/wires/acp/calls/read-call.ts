import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../../json/values.ts'
import type { ShownCall } from '../../../programs/reader.ts'
import type { KnownCall } from '../memory.ts'

/** What an update states about a call. An absent field stays as it was. */
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
    parentId: parentIdOf(update),
    metaName: asString(meta.toolName),
    meta: isObject(update._meta) ? update._meta : undefined,
  })
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
  const meta = { ...asObject(update._meta), ...metaOf(update) }
  return PARENT_NAMES.map((name) => asString(meta[name])).find((id) => id !== undefined && id !== '')
}

/** Returns what a program's reader needs of a call. */
export function shownCall(
  { fields, toolName }: Pick<KnownCall, 'fields' | 'toolName'>,
  meta?: JsonObject,
): ShownCall {
  const { title, kind, rawInput: input, status } = fields
  return {
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

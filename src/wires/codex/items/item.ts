import { isoTime } from '../../../core/json/iso-time.ts'
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
import type { FileChange } from '../../../core/state/file-change.ts'
import type { AgentCall, CallStatus } from '../../../programs/codex/agent-call.ts'
import { snakeCase } from '../../../programs/codex/tool-names.ts'
import { typeName } from '../../../reading/context.ts'

interface ItemBase {
  readonly id: string
  /** ISO 8601. */
  readonly startedAt?: string | undefined
}

interface UserItem extends ItemBase {
  readonly kind: 'user'
  readonly content: readonly UserContentPart[]
}

/** Text or thinking of the model. */
export interface TextItem extends ItemBase {
  readonly kind: 'text' | 'thinking'
  readonly text: string
  /** The text is a plan that the person may accept. */
  readonly isPlan?: boolean
}

/** A call of a tool that is not about agents. */
export interface ToolItem extends ItemBase {
  readonly kind: 'tool'
  /** ISO 8601. */
  readonly completedAt?: string | undefined
  readonly toolName: string
  readonly input: unknown
  readonly status: CallStatus
  readonly output: unknown
  /** The exit code of a command. */
  readonly exitCode?: number | undefined
  readonly changes?: readonly FileChange[] | undefined
  /** In ms. */
  readonly durationMs?: number | undefined
  /** The person ran the command. */
  readonly requestedBy?: 'person' | undefined
}

/** A call that starts agents, waits for them or stops them. */
export interface AgentCallItem extends ItemBase, AgentCall {
  readonly kind: 'agent-call'
  /** ISO 8601. */
  readonly completedAt?: string | undefined
}

/** An agent has started, ended or received a message. */
export interface ActivityItem extends ItemBase {
  readonly kind: 'activity'
  readonly activity: string
  readonly agentId: string
  readonly agentPath?: string | undefined
}

interface CompactionItem extends ItemBase {
  readonly kind: 'compaction'
}

/** A note of the program. */
export interface NoteItem extends ItemBase {
  readonly kind: 'note'
  readonly subtype: string
  readonly message: string
  /** The note begins or ends a review. */
  readonly review?: 'entered' | 'exited'
}

/** An entry of a thread. A stored item has the same id as the live one. */
export type Item = UserItem | TextItem | ToolItem | AgentCallItem | ActivityItem | CompactionItem | NoteItem

/** Returns the object with the names of its fields in snake case. */
export function withSnakeCase(fields: JsonObject): JsonObject {
  // Most names are in snake case already.
  if (isLowerCase(fields)) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]))
}

function isLowerCase(fields: JsonObject): boolean {
  for (const name in fields) if (name !== name.toLowerCase()) return false
  return true
}

/** Returns the name of a variant, which is a text, or an object with the name as its key. */
export function variantName(value: unknown): string | undefined {
  return isObject(value) ? Object.keys(value)[0] : asString(value)
}

/** Returns a time in seconds since the epoch as ISO 8601. */
export function isoTimeOfSeconds(seconds: unknown): string | undefined {
  return isoTime((asFiniteNumber(seconds) ?? Number.NaN) * 1_000)
}

/** Returns the path of a `file://` URL, and any other path unchanged. */
export function pathOf(path: string): string {
  if (!path.startsWith('file://')) return path
  try {
    return decodeURIComponent(path.slice('file://'.length))
  } catch {
    return path.slice('file://'.length)
  }
}

/** The reason of a turn that failed. */
export interface TurnError {
  readonly message: string
  readonly code?: string | undefined
}

/** Reads the error of a turn. */
export function readError(value: unknown): TurnError | undefined {
  const { message, codex_error_info: info } = withSnakeCase(asObject(value))
  const text = asString(message)
  if (text === undefined) return undefined
  const name = variantName(info)
  return { message: text, code: name === undefined ? undefined : snakeCase(name) }
}

/** Returns the parts of a person's message. */
export function userParts(content: unknown): readonly UserContentPart[] {
  return asArray(content).flatMap((part) => readUserPart(part) ?? [])
}

/** Returns a part of a person's message; undefined for an unknown type. */
function readUserPart(part: unknown): UserContentPart | undefined {
  const { text } = asObject(part)
  if (isString(text)) return { type: 'text', text }
  const { type, url, image_url, path, name } = withSnakeCase(asObject(part))
  const link = asString(url) ?? asString(image_url)
  const file = asString(path)
  if (link !== undefined) return imageAt(link)
  if (file === undefined) return undefined
  if (snakeCase(asString(type) ?? '') === 'local_image') return imageAt(file)
  return { type: 'text', text: `[${asString(name) ?? file}](${file})` }
}

/** Returns the types of a message's parts that no reader knows, with the role of its author. The message has its other parts. */
export function unknownParts(item: unknown): readonly string[] {
  const { type, content } = asObject(item)
  const name = snakeCase(asString(type) ?? '')
  if (name !== 'user_message' && name !== 'agent_message') return []
  const role = name === 'user_message' ? 'user' : 'assistant'
  return asArray(content)
    .filter((part) => !(isText(part) || (role === 'user' && readUserPart(part))))
    .map((part) => `${role}/${typeName(asObject(part).type)}`)
}

/** Whether the part is a text. One without its text is empty, and not unknown. */
function isText(part: unknown): boolean {
  const { type, text } = asObject(part)
  return isString(text) || /text$/i.test(asString(type) ?? '')
}

/** Returns the content of a message that is a text. */
export function textParts(text: unknown): readonly UserContentPart[] {
  return isString(text) ? [{ type: 'text', text }] : []
}

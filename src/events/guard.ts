import type { BlockType } from '../state/block.ts'
import { isObject, type JsonObject } from '../state/json.ts'
import type { SessionEvent, SessionEventType } from './event.ts'

/** Why a value is no event, and where: `path` leads to the field, `expected` says what belongs there. */
export interface EventIssue {
  readonly code: 'invalid-value' | 'unknown-type'
  readonly path: readonly (string | number)[]
  readonly expected: string
}

/** The event, or what is wrong with the value. */
export type ParsedEvent =
  | { readonly ok: true; readonly event: SessionEvent }
  | { readonly ok: false; readonly issues: readonly EventIssue[] }

/**
 * Returns the value as an event, or every reason why it is none. The value itself is passed on, unknown fields included.
 */
export function parseSessionEvent(value: unknown): ParsedEvent {
  const issues: EventIssue[] = []
  checkEvent(value, issues, ROOT)
  return issues.length === 0 ? { ok: true, event: value as SessionEvent } : { ok: false, issues }
}

/** Whether the value is an event that the reducer folds. */
export function isConversationEvent(value: unknown): value is SessionEvent {
  return checkEvent(value, undefined, ROOT)
}

type Path = readonly (string | number)[]

/** Looks at a value; collects issues if there is somewhere to put them. */
type Check = (value: unknown, issues: EventIssue[] | undefined, path: Path) => boolean

interface Field {
  readonly name: string
  readonly check: Check
  readonly isOptional: boolean
}

const ROOT: Path = []

const required = (name: string, check: Check): Field => ({ name, check, isOptional: false })
const optional = (name: string, check: Check): Field => ({ name, check, isOptional: true })

const text = when('a string', (value) => typeof value === 'string')
const flag = when('a boolean', (value) => typeof value === 'boolean')
const count = when('a finite number', (value) => Number.isFinite(value))
const json = when('a JSON value', (value) => value !== undefined)

function oneOf(...options: readonly string[]): Check {
  return when(`one of ${options.join(', ')}`, (value) => typeof value === 'string' && options.includes(value))
}

function when(expected: string, isMet: (value: unknown) => boolean): Check {
  return (value, issues, path) => isMet(value) || refuse(issues, 'invalid-value', path, expected)
}

function refuse(
  issues: EventIssue[] | undefined,
  code: EventIssue['code'],
  path: Path,
  expected: string,
): false {
  issues?.push({ code, path, expected })
  return false
}

function list(check: Check): Check {
  return (value, issues, path) => {
    if (!Array.isArray(value)) return refuse(issues, 'invalid-value', path, 'a list')
    return value.map((item, at) => check(item, issues, [...path, at])).every(Boolean)
  }
}

function object(fields: readonly Field[]): Check {
  return (value, issues, path) =>
    isObject(value)
      ? checkFields(fields, value, issues, path)
      : refuse(issues, 'invalid-value', path, 'an object')
}

/** Stops at the first wrong field unless the issues are wanted. */
function checkFields(
  fields: readonly Field[],
  value: JsonObject,
  issues: EventIssue[] | undefined,
  path: Path,
): boolean {
  let isRight = true
  for (const { name, check, isOptional } of fields) {
    const field = value[name]
    if (field === undefined && isOptional) continue
    if (check(field, issues, issues ? [...path, name] : path)) continue
    if (!issues) return false
    isRight = false
  }
  return isRight
}

/** An object whose other fields depend on its `type`. */
function variant<Type extends string>(fieldsByType: Readonly<Record<Type, readonly Field[]>>): Check {
  const variants = new Map<unknown, readonly Field[]>(Object.entries<readonly Field[]>(fieldsByType))
  return (value, issues, path) => {
    if (!isObject(value)) return refuse(issues, 'invalid-value', path, 'an object')
    const fields = variants.get(value.type)
    if (fields) return checkFields(fields, value, issues, path)
    return refuse(issues, 'unknown-type', [...path, 'type'], `one of ${[...variants.keys()].join(', ')}`)
  }
}

const fileSource = variant({
  base64: [required('mediaType', text), required('data', text)],
  url: [required('url', text), optional('mediaType', text)],
})
const contentParts = list(
  variant({
    text: [required('text', text)],
    image: [required('source', fileSource)],
    file: [required('source', fileSource), optional('name', text)],
  }),
)
const userContent: Check = (value, issues, path) =>
  typeof value === 'string' || contentParts(value, issues, path)

const placed = [required('id', text), optional('conversationId', text), optional('timestamp', text)]
const block = [...placed, required('status', oneOf('pending', 'complete', 'error'))]
const modelText = [...block, required('content', text), optional('messageId', text), optional('model', text)]

const checkBlock = variant<BlockType>({
  user_message: [
    ...block,
    required('content', userContent),
    optional('origin', oneOf('command', 'notification', 'summary', 'meta')),
  ],
  assistant_text: modelText,
  thinking: [...modelText, optional('redacted', flag)],
  tool_use: [
    ...block,
    required('toolName', text),
    required('toolUseId', text),
    required('input', json),
    optional('messageId', text),
  ],
  tool_result: [
    ...block,
    required('toolUseId', text),
    required('output', json),
    required('isError', flag),
    optional('durationMs', count),
  ],
  subagent: [
    ...placed,
    required('status', oneOf('pending', 'running', 'success', 'error')),
    required('toolUseId', text),
    required('input', text),
    ...['agentId', 'name', 'description', 'output', 'messageId'].map((name) => optional(name, text)),
    optional('durationMs', count),
  ],
  system: [...block, required('subtype', text), required('message', text)],
  error: [...block, required('message', text), optional('code', text)],
  skill_load: [...block, required('skillName', text), required('content', text)],
})

const facts = object([
  ...['id', 'model', 'cwd', 'program', 'version'].map((name) => optional(name, text)),
  optional('tools', list(text)),
  optional('costUsd', count),
])
const tokens = object(
  ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'].map((name) => optional(name, count)),
)

const event = [optional('conversationId', text), optional('timestamp', text)]
const subagentEvent = [...event, required('toolUseId', text), optional('runId', text)]

const checkEvent = variant<SessionEventType>({
  'block:upsert': [...event, required('block', checkBlock)],
  'block:delta': [...event, required('blockId', text), required('delta', text)],
  'block:removed': [...event, required('blockId', text)],
  'subagent:spawned': [
    ...subagentEvent,
    required('prompt', text),
    ...['subagentType', 'description', 'agentId', 'messageId'].map((name) => optional(name, text)),
  ],
  'subagent:resumed': [...subagentEvent, optional('prompt', text)],
  'subagent:completed': [
    ...subagentEvent,
    required('status', oneOf('completed', 'error')),
    optional('agentId', text),
    optional('output', text),
    optional('durationMs', count),
  ],
  'session:idle': event,
  'session:updated': [...event, required('facts', facts)],
  'usage:reported': [
    ...event,
    required('messageId', text),
    required('usage', tokens),
    required('final', flag),
    optional('model', text),
  ],
})

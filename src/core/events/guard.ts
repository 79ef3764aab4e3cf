import { checkOf, refuse, type ValueIssue } from '../json/check-shape.ts'
import { isNoJson, isTooDeep, MAX_DEPTH } from '../json/depth.ts'
import { omitUndefined } from '../json/fields.ts'
import { isTime } from '../json/iso-time.ts'
import { asObject, isObject, type JsonObject, NO_FIELDS } from '../json/values.ts'
import { TOKEN_COUNTS } from '../state/session.ts'
import { EVENT, type EventContext, type SessionEvent } from './event.ts'

/**
 * Why a value is no event. `path` leads to the field, `expected` says what belongs there.
 * - `invalid-value`: the field is of another kind
 * - `unknown-type`: an event, a block or a part of an unknown type
 * - `too-deep`: nested deeper than 256 levels
 * - `unreadable`: a getter or a proxy of the value threw
 */
export type EventIssue = ValueIssue<'invalid-value' | 'unknown-type' | 'too-deep' | 'unreadable'>

/** The event, or everything that is wrong with the value. */
type ParsedEvent =
  | { readonly ok: true; readonly event: SessionEvent }
  | { readonly ok: false; readonly issues: readonly EventIssue[] }

/**
 * Returns the value as an event, or every reason why it is none. The event is the value itself, with its unknown
 * fields. The fields of a `context` are beside the others in it, so it is a copy then. A value that is nested
 * deeper than 256 levels is no event, and neither is one whose getters or proxies throw.
 */
export function parseSessionEvent(value: unknown): ParsedEvent {
  const issues: EventIssue[] = []
  try {
    if (isTooDeep(value)) issues.push({ code: 'too-deep', path: deepField(value), expected: DEPTH_LIMIT })
    else if (checkEvent(value, issues, ROOT) && isNoJson(value))
      issues.push({ code: 'invalid-value', path: pathToNoJson(value), expected: 'a JSON value' })
  } catch {
    issues.push({ code: 'unreadable', path: ROOT, expected: 'plain data' })
  }
  return issues.length === 0 ? { ok: true, event: flatEvent(value as SessionEvent) } : { ok: false, issues }
}

/**
 * Whether the value is an event that the reducer folds: whether `parseSessionEvent` accepts it. Its place and time may
 * stand in its `context`.
 */
export function isConversationEvent(value: unknown): value is SessionEvent {
  try {
    return !isNoJson(value) && checkEvent(value, undefined, ROOT)
  } catch {
    return false
  }
}

const ROOT: readonly string[] = []
const DEPTH_LIMIT = 'at most 256 levels'
const checkShape = /* @__PURE__ */ checkOf(EVENT)

function checkEvent(value: unknown, issues: EventIssue[] | undefined, path: readonly string[]): boolean {
  return checkShape(value, issues, path) && hasKnownCounts(value as SessionEvent, issues)
}

/** Whether a report of tokens has a known count, if it has any. The counts of an API have other names. */
function hasKnownCounts(event: SessionEvent, issues: EventIssue[] | undefined): boolean {
  if (event.type !== 'usage:reported' || Object.keys(event.usage).length === 0) return true
  if (TOKEN_COUNTS.some((name) => Object.hasOwn(event.usage, name))) return true
  return refuse(issues, 'invalid-value', ['usage'], `an object with ${TOKEN_COUNTS.join(', ')}`)
}

/** Whether the reducer knows events of that type. */
export function isEventType(type: string): boolean {
  return Object.hasOwn(EVENT.byType, type)
}

/** Returns the path to the field of the event, or of its block, that is nested too deep. */
function deepField(event: unknown): readonly string[] {
  const path: string[] = []
  let part = event
  while (isObject(part) && path.length < 2) {
    const fields: JsonObject = part
    const key = Object.keys(fields).find((each) => isTooDeep(fields[each], MAX_DEPTH - 1 - path.length))
    if (key === undefined) break
    path.push(key)
    part = fields[key]
  }
  return path
}

/** Returns the path to the first part of the value that JSON cannot hold. */
function pathToNoJson(value: unknown): readonly (string | number)[] {
  const path: (string | number)[] = []
  let part = value
  while (typeof part === 'object' && part !== null) {
    const found = Object.entries(part).find(([, each]) => isNoJson(each))
    if (!found) break
    path.push(Array.isArray(part) ? Number(found[0]) : found[0])
    part = found[1]
  }
  return path
}

/**
 * Returns the first time that is not ISO 8601, or the first number that cannot be a count or an amount. The files of
 * other programs may have any text as a time, and no reader fails there: `parseSessionEvent` accepts such an event.
 */
export function wrongValue(event: SessionEvent): EventIssue | undefined {
  const own = wrongField(event, [])
  if (own) return own
  if (event.type === 'block:upsert') return wrongField(event.block, ['block'])
  if (event.type === 'usage:reported') return wrongField(event.usage, ['usage'])
  return event.type === 'session:updated' ? wrongField(event.facts, ['facts']) : undefined
}

function wrongField(part: object, path: readonly string[]): EventIssue | undefined {
  const fields = { ...NO_FIELDS, ...part }
  for (const name in fields) {
    const value = fields[name]
    const rule = value === undefined ? undefined : RULES.get(name)
    if (rule && !rule.isRight(value))
      return { code: 'invalid-value', path: [...path, name], expected: rule.expected }
  }
  return undefined
}

interface Rule {
  readonly expected: string
  isRight(value: unknown): boolean
}

const TIME: Rule = { expected: 'an ISO 8601 time', isRight: isTime }
const AMOUNT: Rule = { expected: 'a number from 0', isRight: (value) => Number(value) >= 0 }
const COUNT: Rule = {
  expected: 'a whole number from 0',
  isRight: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
}

const RULES: ReadonlyMap<string, Rule> = /* @__PURE__ */ ruleByName()

function ruleByName(): ReadonlyMap<string, Rule> {
  const rules = new Map([['timestamp', TIME]])
  for (const name of ['durationMs', 'costUsd']) rules.set(name, AMOUNT)
  for (const name of [...TOKEN_COUNTS, 'contextTokens', 'contextWindow']) rules.set(name, COUNT)
  return rules
}

/** A schema of events that follows "Standard Schema", version 1 (standardschema.dev). */
interface SessionEventSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'agentfold'
    readonly validate: (value: unknown) => SessionEventResult
    readonly types?: { readonly input: SessionEvent; readonly output: SessionEvent }
  }
}

/** The event as `parseSessionEvent` returns it, or every issue with its path. */
type SessionEventResult =
  | { readonly value: SessionEvent; readonly issues?: undefined }
  | {
      readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[]
    }

/** `parseSessionEvent` for every library that takes a Standard Schema, such as tRPC inputs or TanStack validators. */
export const sessionEventSchema: SessionEventSchema = {
  '~standard': { version: 1, vendor: 'agentfold', validate },
}

function validate(value: unknown): SessionEventResult {
  const parsed = parseSessionEvent(value)
  if (parsed.ok) return { value: parsed.event }
  return { issues: parsed.issues.map(({ path, expected }) => ({ path, message: `expected ${expected}` })) }
}

/**
 * Returns the event with the fields of its `context` beside its other fields. A field beside wins, and `context`
 * keeps its unknown fields alone. An event without such a context is the result itself, and so is a value that is no
 * event.
 */
export function flatEvent(event: SessionEvent): SessionEvent {
  if (!isObject(asObject(event).context)) return event
  const { conversationId, timestamp, ...unknown }: EventContext = event.context ?? {}
  if (conversationId === undefined && timestamp === undefined) return event
  const { context: _, ...fields } = event
  return {
    ...fields,
    ...omitUndefined({
      conversationId: fields.conversationId ?? conversationId,
      timestamp: fields.timestamp ?? timestamp,
    }),
    ...(Object.keys(unknown).length > 0 ? { context: unknown } : undefined),
  }
}

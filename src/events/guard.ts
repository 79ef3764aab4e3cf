import { checkOf, type ShapeIssue } from '../json/check-shape.ts'
import { isTooDeep, MAX_DEPTH } from '../json/depth.ts'
import { isObject, type JsonObject } from '../json/values.ts'
import { EVENT, type SessionEvent } from './event.ts'

/**
 * Why a value is no event. `path` leads to the field, `expected` says what belongs there.
 * - `invalid-value`: the field is of another kind
 * - `unknown-type`: an event, a block or a part of an unknown type
 * - `too-deep`: nested deeper than 256 levels
 * - `unreadable`: a getter or a proxy of the value threw
 */
export type EventIssue = ShapeIssue<'invalid-value' | 'unknown-type' | 'too-deep' | 'unreadable'>

/** The event, or what is wrong with the value. */
export type ParsedEvent =
  | { readonly ok: true; readonly event: SessionEvent }
  | { readonly ok: false; readonly issues: readonly EventIssue[] }

/**
 * Returns the value as an event, or every reason why it is none. The value itself is passed on, unknown fields included. What is
 * nested deeper than 256 levels is none, nor is what throws when it is looked at.
 */
export function parseSessionEvent(value: unknown): ParsedEvent {
  const issues: EventIssue[] = []
  try {
    if (isTooDeep(value)) issues.push({ code: 'too-deep', path: deepField(value), expected: SHALLOW })
    else checkEvent(value, issues, ROOT)
  } catch {
    // JSON has neither getters nor proxies: what they throw is theirs.
    issues.push({ code: 'unreadable', path: ROOT, expected: 'plain data' })
  }
  return issues.length === 0 ? { ok: true, event: value as SessionEvent } : { ok: false, issues }
}

/** Whether the value is an event that the reducer folds: whether `parseSessionEvent` takes it. */
export function isConversationEvent(value: unknown): value is SessionEvent {
  try {
    return !isTooDeep(value) && checkEvent(value, undefined, ROOT)
  } catch {
    return false
  }
}

const ROOT: readonly string[] = []
const SHALLOW = 'at most 256 levels'
const checkEvent = /* @__PURE__ */ checkOf(EVENT)

/** The field of the event, or of its block, that is nested too deep. */
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

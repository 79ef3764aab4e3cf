import { isTooDeep, MAX_DEPTH } from '../state/depth.ts'
import { isObject, type JsonObject } from '../state/json.ts'
import type { SessionEvent } from './event.ts'
import { EVENT } from './schema.ts'
import { checkOf, type EventIssue, refuse } from './shape.ts'

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
  return isEvent(value, issues) ? { ok: true, event: value } : { ok: false, issues }
}

/** Whether the value is an event that the reducer folds. */
export function isConversationEvent(value: unknown): value is SessionEvent {
  return isEvent(value, undefined)
}

function isEvent(value: unknown, issues: EventIssue[] | undefined): value is SessionEvent {
  try {
    if (isTooDeep(value)) return refuse(issues, 'too-deep', issues ? deepField(value) : ROOT, SHALLOW)
    return checkEvent(value, issues, ROOT)
  } catch {
    // JSON has neither getters nor proxies: what they throw is theirs.
    return refuse(issues, 'unreadable', ROOT, 'plain data')
  }
}

const ROOT: readonly string[] = []
const SHALLOW = `nested at most ${MAX_DEPTH} levels deep`
const checkEvent = /* @__PURE__ */ checkOf(EVENT)

/** The field of the event, or of what it holds, that is nested too deep. */
function deepField(event: unknown): readonly string[] {
  const path: string[] = []
  let part = event
  while (isObject(part) && path.length < 2) {
    const held: JsonObject = part
    const key = Object.keys(held).find((each) => isTooDeep(held[each], MAX_DEPTH - 1 - path.length))
    if (key === undefined) break
    path.push(key)
    part = held[key]
  }
  return path
}

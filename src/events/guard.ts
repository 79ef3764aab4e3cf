import type { SessionEvent } from './event.ts'
import { EVENT } from './schema.ts'
import { checkOf, type EventIssue } from './shape.ts'

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

const ROOT: readonly string[] = []
const checkEvent = /* @__PURE__ */ checkOf(EVENT)

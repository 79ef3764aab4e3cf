import type { SessionEvent } from '../../core/events/event.ts'
import { parseSessionEvent, wrongValue } from '../../core/events/guard.ts'
import { isObject } from '../../core/json/values.ts'
import { isPlainEvent } from '../../core/reducer/fast.ts'
import { foldSessionEvents } from '../../core/reducer/reduce.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { ReadIssue } from '../../reading/source.ts'
import { HubError } from './hub-error.ts'

/** An update of `followSession`, or a step of a reader. */
export interface FollowedUpdate {
  readonly events: readonly SessionEvent[]
  /** Whether the events start at the initial state. They then replace what the hub has of the session. */
  readonly startsOver?: boolean | undefined
}

/** Returns what `publish` is given, with valid events. */
export function validInput(input: readonly SessionEvent[] | FollowedUpdate): FollowedUpdate {
  if (Array.isArray(input)) return { events: input.map(validOwnEvent) }
  if (isObject(input) && Array.isArray(input.events))
    return { ...input, events: input.events.map(validEvent) }
  throw new HubError('malformed-event', 'pass a list of events, or an update of followSession')
}

/** Returns the event. Every reader would ignore a wrong one without a word. */
function validEvent(event: SessionEvent, at: number): SessionEvent {
  if (isPlainEvent(event)) return event
  const parsed = parseSessionEvent(event)
  if (parsed.ok) return parsed.event
  const [{ path, expected } = { path: [], expected: 'an event' }] = parsed.issues
  throw malformed(at, path, expected)
}

/** Returns the event of an agent of one's own. Its times and numbers mean something. */
function validOwnEvent(event: SessionEvent, at: number): SessionEvent {
  const valid = validEvent(event, at)
  const issue = wrongValue(valid)
  if (issue) throw malformed(at, issue.path, issue.expected)
  return valid
}

function malformed(at: number, path: readonly (string | number)[], expected: string): HubError {
  const place = path.length === 0 ? '' : `${path.join('.')}: `
  return new HubError('malformed-event', `event ${at + 1}: ${place}pass ${expected}`)
}

/** Returns what a state does not take of the events as it is, and the agents that nothing has started. */
export function issuesOf(
  before: SessionConversationState,
  events: readonly SessionEvent[],
): readonly ReadIssue[] {
  const { state, issues } = foldSessionEvents(before, events)
  const known = new Set(before.subagents.map(({ toolUseId }) => toolUseId))
  const unplaced = state.subagents
    .filter(
      ({ toolUseId, parentConversationId }) => parentConversationId === undefined && !known.has(toolUseId),
    )
    .map(({ toolUseId }) => ({ code: 'unplaced-message', count: 1, toolUseId }) as const)
  return [...issues, ...unplaced]
}

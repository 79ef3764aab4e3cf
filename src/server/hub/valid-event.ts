import type { SessionEvent } from '../../core/events/event.ts'
import { parseSessionEvent } from '../../core/events/guard.ts'
import { isTime } from '../../core/json/iso-time.ts'
import { isObject, NO_FIELDS } from '../../core/json/values.ts'
import { isPlainEvent } from '../../core/reducer/fast.ts'
import { foldSessionEvents } from '../../core/reducer/reduce.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { TOKEN_COUNTS } from '../../core/state/session.ts'
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

/**
 * Returns the event of an agent of one's own. Its times and numbers mean something. The recordings of other programs
 * may have any text as a time, and no reader fails there.
 */
function validOwnEvent(event: SessionEvent, at: number): SessionEvent {
  const valid = validEvent(event, at)
  requireValues(valid, [], at)
  if (valid.type === 'block:upsert') requireValues(valid.block, ['block'], at)
  if (valid.type === 'usage:reported') requireValues(valid.usage, ['usage'], at)
  if (valid.type === 'session:updated') requireValues(valid.facts, ['facts'], at)
  return valid
}

function requireValues(part: object, path: readonly string[], at: number): void {
  const fields = { ...NO_FIELDS, ...part }
  for (const name in fields) {
    const value = fields[name]
    const rule = value === undefined ? undefined : RULES.get(name)
    if (rule && !rule.isRight(value)) throw malformed(at, [...path, name], rule.expected)
  }
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

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['timestamp', TIME],
  ...['durationMs', 'costUsd'].map((name) => [name, AMOUNT] as const),
  ...[...TOKEN_COUNTS, 'contextTokens', 'contextWindow'].map((name) => [name, COUNT] as const),
])

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

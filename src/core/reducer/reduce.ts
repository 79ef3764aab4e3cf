import type { EventOf, SessionEvent } from '../events/event.ts'
import {
  type EventIssue,
  flatEvent,
  isConversationEvent,
  isEventType,
  parseSessionEvent,
} from '../events/guard.ts'
import { isEqual } from '../json/equal.ts'
import { omitUndefined, shallowCopy } from '../json/fields.ts'
import { asObject, asString, assertNever, type JsonObject } from '../json/values.ts'
import { MAIN, type SessionConversationState } from '../state/session.ts'
import { Batch } from './batch.ts'
import { abandonBranch, appendDelta, removeBlock, upsertBlock } from './blocks.ts'
import { isPlainEvent, withSingleDelta } from './fast.ts'
import type { ReducerIssue, ReducerIssueCode } from './issue.ts'
import { completeSubagent, resumeSubagent } from './subagents/run.ts'
import { spawnSubagent } from './subagents/spawn.ts'
import { finalizeConversation, startTurn } from './turn.ts'
import { addUsage } from './usage.ts'

/**
 * Returns the state after the event. If the event changes nothing, it is the same reference. The function is pure and
 * never throws: a value that is no event changes nothing.
 */
export function reduceSessionEvent(
  state: SessionConversationState,
  event: SessionEvent,
): SessionConversationState {
  const streamed = withSingleDelta(state, event)
  if (streamed) return streamed
  const batch = new Batch(state)
  applyUnknown(batch, event)
  return batch.finish()
}

/** Returns the state after all events. The result is the same as one by one, and costs one copy. */
export function reduceSessionEvents(
  state: SessionConversationState,
  events: Iterable<SessionEvent>,
): SessionConversationState {
  return foldSessionEvents(state, events).state
}

/** Like `reduceSessionEvent`. The issue says why the reducer did not apply the event, or a part of it. */
export function stepSessionEvent(
  state: SessionConversationState,
  event: SessionEvent,
): { readonly state: SessionConversationState; readonly issue?: ReducerIssue } {
  const streamed = withSingleDelta(state, event)
  if (streamed) return { state: streamed }
  const batch = new Batch(state)
  const issue = applyUnknown(batch, event)
  return issue ? { state: batch.finish(), issue } : { state: batch.finish() }
}

/** Like `reduceSessionEvents`, with at most one issue for each event. */
export function foldSessionEvents(
  state: SessionConversationState,
  events: Iterable<unknown>,
): { readonly state: SessionConversationState; readonly issues: readonly ReducerIssue[] } {
  const batch = new Batch(state)
  const issues: ReducerIssue[] = []
  for (const event of events) {
    const issue = applyUnknown(batch, event)
    if (issue) issues.push(issue)
  }
  return { state: batch.finish(), issues }
}

function applyUnknown(batch: Batch, event: unknown): ReducerIssue | undefined {
  if (isPlainEvent(event)) return applyWithIssue(batch, event)
  const eventType = typeOf(event)
  if (eventType === undefined) return { code: 'unknown-event' }
  if (!isEventType(eventType)) return { code: 'unknown-event', eventType }
  return isConversationEvent(event)
    ? applyWithIssue(batch, flatEvent(event))
    : malformedEvent(event, eventType)
}

function applyWithIssue(batch: Batch, event: SessionEvent): ReducerIssue | undefined {
  const code = applyEvent(batch, event)
  return code && issueOf(code, event)
}

/**
 * Applies one event. Returns why the reducer did not apply it, or a part of it. A source's own events are valid and
 * flat, so nothing checks them again.
 */
export function applyEvent(batch: Batch, event: SessionEvent): ReducerIssueCode | undefined {
  switch (event.type) {
    case 'block:upsert':
      return upsertBlock(batch, event)
    case 'block:delta':
      return appendDelta(batch, event)
    case 'block:removed':
      return removeBlock(batch, event)
    case 'subagent:spawned':
      return spawnSubagent(batch, event)
    case 'subagent:resumed':
      return resumeSubagent(batch, event)
    case 'subagent:completed':
      return completeSubagent(batch, event)
    case 'session:running':
      return startTurn(batch, event)
    case 'session:idle':
      return finalizeConversation(batch, event)
    case 'session:updated':
      return updateSession(batch, event)
    case 'usage:reported':
      return reportUsage(batch, event)
    case 'todos:updated':
      return updateTodos(batch, event)
    case 'branch:abandoned':
      return abandonBranch(batch, event)
    default:
      return assertNever(event)
  }
}

/** Returns the issue of an event that the reducer did not apply as it is. */
export function issueOf(code: ReducerIssueCode, event: SessionEvent): ReducerIssue {
  const block = event.type === 'block:upsert' ? event.block : undefined
  // A field that the event's type does not have can be any value.
  const { blockId, toolUseId, agentId }: JsonObject = { ...event, ...block }
  return omitUndefined({
    code,
    eventType: event.type,
    conversationId: event.conversationId ?? block?.conversationId,
    blockId: block?.id ?? asString(blockId),
    toolUseId: asString(toolUseId),
    agentId: asString(agentId),
  })
}

/** Returns the issue of an event that the guard refuses. */
function malformedEvent(value: unknown, eventType: string): ReducerIssue {
  const parsed = parseSessionEvent(value)
  const { path, expected }: Partial<EventIssue> = (!parsed.ok && parsed.issues[0]) || {}
  return omitUndefined({ code: 'malformed-event' as const, eventType, path, expected })
}

function typeOf(value: unknown): string | undefined {
  try {
    return asString(asObject(value).type)
  } catch {
    // A getter or a proxy of the value threw.
    return undefined
  }
}

/** Adds new facts of the session. */
function updateSession(batch: Batch, event: EventOf<'session:updated'>): undefined {
  const session = { ...batch.session, ...omitUndefined(event.facts) }
  if (!isEqual(batch.session, session)) batch.session = Object.freeze(session)
}

/** Replaces the plan of a conversation. */
function updateTodos(batch: Batch, { conversationId = MAIN, todos }: EventOf<'todos:updated'>): undefined {
  const thread = batch.getOrCreateThread(conversationId)
  if (!isEqual(thread.todos, todos)) thread.todos = todos.map((todo) => Object.freeze(shallowCopy(todo)))
}

/** Writes a message's tokens into the ledger of its conversation. */
function reportUsage(batch: Batch, event: EventOf<'usage:reported'>): undefined {
  const { messageId, usage, final, model, fromResult } = event
  const thread = batch.getOrCreateThread(event.conversationId ?? MAIN)
  addUsage(thread, omitUndefined({ messageId, final, model, fromResult, ...usage }))
}

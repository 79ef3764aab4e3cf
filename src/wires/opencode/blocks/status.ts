import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, isObject } from '../../../json/values.ts'
import { errorBlockId } from '../../../programs/opencode/error-id.ts'
import { numberedId } from '../../../state/numbered-id.ts'
import { MAIN } from '../../../state/session.ts'
import { completeUnlinkedAgent } from '../agents/unlinked-agents.ts'
import type { OpencodeContext } from '../context.ts'
import { knownSession } from '../records/session.ts'
import { answerTurn, continueTurn, isBefore, isOlderId } from '../records/turn.ts'
import type { EventPlace } from '../routing/event-place.ts'
import { BUSY_STATUSES } from '../routing/work.ts'
import { failureOf, isReportedError, rememberUnassignedError, upsertError } from './error.ts'
import { upsertRetry } from './system-block.ts'

/** Translates a session's status: busy, idle, or waiting to repeat a request. */
export function translateStatus(place: EventPlace, status: unknown, context: OpencodeContext): void {
  const { type, message, attempt, next } = asObject(status)
  if (type === 'idle') return translateIdle(place, context)
  // Later turns begin with a prompt or a message. A repeated status must not start one again.
  if (BUSY_STATUSES.has(type) && context.turn.status === 'idle') continueTurn(place, context)
  const id = type === 'retry' ? claimBlockId(place, context) : undefined
  if (id === undefined) return
  upsertRetry(place.conversationId, { id, message, data: { attempt, next } }, context)
}

/** The session is idle. The last updates of its messages may still follow. */
export function translateIdle(place: EventPlace, context: OpencodeContext): void {
  const { idleEventIds, answer } = context.memory
  const { eventId, conversationId } = place
  if (eventId !== undefined && idleEventIds.get(eventId) !== undefined) return
  if (eventId !== undefined) context.setEntry('idleEventIds', eventId, eventId)
  if (conversationId === MAIN && context.turn.status === 'running') context.endTurn(answer ?? {})
  else context.emit({ type: 'session:idle', conversationId })
  completeUnlinkedAgent(place, context)
}

/** A session's turn failed or was stopped. The message that it ended, if any, reports the same error. */
export function translateError(place: EventPlace, error: unknown, context: OpencodeContext): void {
  const { sessionId, conversationId } = place
  if (!isObject(error)) return
  const ownId = claimBlockId(place, context)
  if (ownId === undefined) return
  const openMessageId = openMessageAt(place, context)
  if (isReportedError(sessionId, error, context)) return
  const id = openMessageId === undefined ? ownId : errorBlockId(openMessageId)
  upsertError(error, { conversationId, id, timestamp: undefined }, context)
  if (id === ownId) rememberUnassignedError(place, id, error, context)
  const session = knownSession(sessionId, context)
  const messageId = session.currentMessageId
  // A reconnect may repeat the error of an earlier turn.
  const isEarlier =
    isOlderId(messageId ?? '', session.openMessageId) || isBefore(place.eventId, session.openMessageId)
  if (openMessageId === undefined && isEarlier) return
  answerTurn(omitUndefined({ sessionId, conversationId, messageId }), failureOf(error), context)
}

/**
 * Returns the open message, unless the bus is at another turn. Then the last event was about a message that is neither the open one nor its
 * prompt, or the event is older than the message. A reconnect that repeats an earlier turn does this.
 */
function openMessageAt({ sessionId, eventId }: EventPlace, context: OpencodeContext): string | undefined {
  const { openMessageId, answeredMessageId, currentMessageId: current } = knownSession(sessionId, context)
  const isThere = current === undefined || current === openMessageId || current === answeredMessageId
  return isThere && !isBefore(eventId, openMessageId) ? openMessageId : undefined
}

/** Returns the event's id, or a numbered one, for its block. Returns undefined if the event already has a block. */
function claimBlockId({ eventId }: EventPlace, context: OpencodeContext): string | undefined {
  const { eventIdsWithBlock, eventsWithoutId } = context.memory
  if (eventId === undefined) {
    context.remember({ eventsWithoutId: eventsWithoutId + 1 })
    return numberedId(eventsWithoutId)
  }
  if (eventIdsWithBlock.get(eventId) !== undefined) return undefined
  context.setEntry('eventIdsWithBlock', eventId, eventId)
  return eventId
}

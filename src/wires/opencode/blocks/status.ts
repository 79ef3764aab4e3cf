import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, isObject } from '../../../core/json/values.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { numberedId } from '../../../core/state/numbered-id.ts'
import { MAIN } from '../../../core/state/session.ts'
import { errorBlockId } from '../../../programs/opencode/error-id.ts'
import { completeUnlinkedAgent } from '../agents/unlinked-agents.ts'
import type { OpencodeContext } from '../context.ts'
import { BUSY_STATUSES } from '../events/event.ts'
import { isBefore, isOlderId } from '../ids.ts'
import type { EventPlace } from '../place.ts'
import { sessionNote } from '../sessions.ts'
import { answerTurn, continueTurn } from '../turn.ts'
import { failureOf, isReportedError, upsertError } from './error.ts'
import { upsertRetry } from './system-block.ts'

/** Translates a session's status: busy, idle, or waiting to repeat a request. */
export function translateStatus(place: EventPlace, status: unknown, context: OpencodeContext): void {
  const { type, message, attempt, next } = asObject(status)
  if (type === 'idle') return translateIdle(place, context)
  // Later turns begin with a prompt or a message. A repeated status must not start one again.
  if (BUSY_STATUSES.has(type) && context.turn.status === 'idle') continueTurn(place, context)
  const data = { attempt, next }
  // Versions before 1.18 have no ids of events. The time of the next attempt is as good.
  if (type !== 'retry') return
  for (const block of context.typeFromEnd(place.conversationId, 'system')) if (isRetry(block, data)) return
  const id = newBlockId(place, context)
  if (id !== undefined) upsertRetry(place.conversationId, { id, message, data }, context)
}

function isRetry(block: ConversationBlock, data: { readonly next: unknown }): boolean {
  return data.next !== undefined && block.type === 'system' && isEqual(block.data, data)
}

/** The session is idle. The last updates of its messages may still follow. */
export function translateIdle(place: EventPlace, context: OpencodeContext): void {
  const { readEvents, answer } = context.notes
  const { eventId, conversationId } = place
  if (eventId !== undefined && readEvents.get(eventId)) return
  rememberEvent(place, context)
  if (conversationId === MAIN && context.turn.status === 'running') context.endTurn(answer ?? {})
  else context.emit({ type: 'session:idle', conversationId })
  completeUnlinkedAgent(place, context)
}

/** A session's turn failed or was stopped. The message that it ended, if any, reports the same error. */
export function translateError(place: EventPlace, error: unknown, context: OpencodeContext): void {
  const { sessionId, conversationId } = place
  if (!isObject(error)) return
  const ownId = newBlockId(place, context)
  if (ownId === undefined) return
  const openMessageId = openMessageAt(place, context)
  const isReported = isReportedError(place, error, context)
  if (isReported || openMessageId !== undefined) rememberEvent(place, context)
  if (isReported) return
  const id = openMessageId === undefined ? ownId : errorBlockId(openMessageId)
  upsertError(error, { conversationId, id, timestamp: undefined }, context)
  const { currentMessage, openMessage } = sessionNote(sessionId, context)
  // A reconnect may repeat the error of an earlier turn.
  const isEarlier = isOlderId(currentMessage ?? '', openMessage) || isBefore(place.eventId, openMessage)
  if (openMessageId === undefined && isEarlier) return
  // The last event may have been about the prompt, which is older than the messages of its turn that are complete.
  const messageId = openMessageId ?? currentMessage
  answerTurn(omitUndefined({ sessionId, conversationId, messageId }), failureOf(error), context)
}

/**
 * Returns the open message, unless the bus is at another turn. Then the last event was about a message that is neither the open one nor its
 * prompt, or the event is older than the message. A reconnect that repeats an earlier turn does this.
 */
function openMessageAt({ sessionId, eventId }: EventPlace, context: OpencodeContext): string | undefined {
  const { openMessage, answeredMessage, currentMessage: current } = sessionNote(sessionId, context)
  const isThere = current === undefined || current === openMessage || current === answeredMessage
  return isThere && !isBefore(eventId, openMessage) ? openMessage : undefined
}

/** Returns the event's id, or a numbered one, for its block. Returns undefined if the event is a repeated one. */
function newBlockId({ eventId, conversationId }: EventPlace, context: OpencodeContext): string | undefined {
  const { readEvents, eventsWithoutId = 0 } = context.notes
  if (eventId === undefined) {
    context.remember({ eventsWithoutId: eventsWithoutId + 1 })
    return numberedId(eventsWithoutId)
  }
  return readEvents.get(eventId) || context.findBlock(conversationId, eventId) ? undefined : eventId
}

/** Remembers an event that has no block of its own. */
function rememberEvent({ eventId }: EventPlace, context: OpencodeContext): void {
  if (eventId !== undefined) context.setEntry('readEvents', eventId, true)
}

import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import { numberedId } from '../../../core/state/numbered-id.ts'
import { MAIN } from '../../../core/state/session.ts'
import { errorBlockId } from '../../../programs/opencode/tool-result.ts'
import type { Memory } from '../../../reading/context.ts'
import { completeUnlinkedAgent } from '../agents/task.ts'
import { translateMessage } from '../blocks/message.ts'
import { translatePart } from '../blocks/part.ts'
import { blockOfError, failureOf, isReportedError, reportTodos, retryBlock } from '../blocks/system-block.ts'
import { translateDelta } from '../blocks/text.ts'
import { setSessionCost } from '../blocks/usage.ts'
import type { OpencodeContext } from '../context.ts'
import { BUSY_STATUSES, type BusEvent, isBefore, isOlderId } from '../event.ts'
import { type EventPlace, messageIdOf, messageRef, noteSession, partUpdate, sessionNote } from '../place.ts'
import { removeMessage, removePart } from '../removal/removal.ts'
import { updateRevert } from '../removal/revert.ts'
import { translateReply, translateRequest } from '../requests.ts'
import { answerTurn, continueTurn, isUnlinked } from '../turn.ts'

/** Translates a session's status: busy, idle, or waiting to repeat a request. */
function translateStatus(place: EventPlace, status: unknown, context: OpencodeContext): void {
  const { type, message, attempt, next } = asObject(status)
  if (type === 'idle') return translateIdle(place, context)
  // Later turns begin with a prompt or a message. A repeated status must not start one again.
  if (BUSY_STATUSES.has(type) && context.state.turn.status === 'idle') continueTurn(place, context)
  const data = { attempt, next }
  // Versions before 1.18 have no ids of events. The time of the next attempt is as good.
  if (type !== 'retry') return
  for (const block of context.state.typeFromEnd(place.conversationId, 'system'))
    if (isRetry(block, data)) return
  const id = newBlockId(place, context)
  if (id !== undefined) context.upsert(place.conversationId, retryBlock({ id, message, data }))
}

function isRetry(block: ConversationBlock, data: { readonly next: unknown }): boolean {
  return data.next !== undefined && block.type === 'system' && isEqual(block.data, data)
}

/** The session is idle. The last updates of its messages may still follow. */
function translateIdle(place: EventPlace, context: OpencodeContext): void {
  const { readEvents, answer } = context.notes.values
  const { eventId, conversationId } = place
  if (eventId !== undefined && readEvents.get(eventId)) return
  rememberEvent(place, context.notes)
  if (conversationId === MAIN && context.state.turn.status === 'running') context.turn.end(answer ?? {})
  else context.emit({ type: 'session:idle', conversationId })
  completeUnlinkedAgent(place, context)
}

/** A session's turn failed or was stopped. The message that it ended, if any, reports the same error. */
function translateError(place: EventPlace, error: unknown, context: OpencodeContext): void {
  const { sessionId, conversationId } = place
  if (!isObject(error)) return
  const ownId = newBlockId(place, context)
  if (ownId === undefined) return
  const openMessageId = openMessageAt(place, context.notes.values)
  const isReported = isReportedError(place, error, context)
  if (isReported || openMessageId !== undefined) rememberEvent(place, context.notes)
  if (isReported) return
  const id = openMessageId === undefined ? ownId : errorBlockId(openMessageId)
  context.upsert(conversationId, blockOfError(id, error))
  const { currentMessage, openMessage } = sessionNote(sessionId, context.notes.values)
  // A reconnect may repeat the error of an earlier turn.
  const isEarlier = isOlderId(currentMessage ?? '', openMessage) || isBefore(place.eventId, openMessage)
  if (openMessageId === undefined && isEarlier) return
  // The last event may have been about the prompt, which is older than the messages of its turn that are complete.
  const messageId = openMessageId ?? currentMessage
  answerTurn(omitUndefined({ sessionId, conversationId, messageId }), failureOf(error), context)
}

/**
 * Returns the open message, unless the bus is at another turn. Then the last event was about a message that is
 * neither the open one nor its prompt, or the event is older than the message. A reconnect that repeats an earlier
 * turn does this.
 */
function openMessageAt(
  { sessionId, eventId }: EventPlace,
  notes: OpencodeContext['notes']['values'],
): string | undefined {
  const { openMessage, answeredMessage, currentMessage: current } = sessionNote(sessionId, notes)
  const isThere = current === undefined || current === openMessage || current === answeredMessage
  return isThere && !isBefore(eventId, openMessage) ? openMessage : undefined
}

/** Returns the event's id, or a numbered one, for its block. Returns undefined if the event is a repeated one. */
function newBlockId(
  { eventId, conversationId }: EventPlace,
  memory: Memory<OpencodeContext>,
): string | undefined {
  const { readEvents, eventsWithoutId = 0 } = memory.notes.values
  if (eventId === undefined) {
    memory.notes.remember({ eventsWithoutId: eventsWithoutId + 1 })
    return numberedId(eventsWithoutId)
  }
  return readEvents.get(eventId) || memory.state.findBlock(conversationId, eventId) ? undefined : eventId
}

/** Remembers an event that has no block of its own. */
function rememberEvent({ eventId }: EventPlace, notes: OpencodeContext['notes']): void {
  if (eventId !== undefined) notes.setEntry('readEvents', eventId, true)
}

/** Translates an event of one type in the conversation that it belongs to. */
export type Translator = (place: EventPlace, event: BusEvent, context: OpencodeContext) => void

/** Returns the translator of an event type, or undefined if the source does not know the type. */
export function translatorOf(type: string): Translator | undefined {
  return TRANSLATORS.get(type)
}

const TRANSLATORS: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['session.created', (place, event, context) => translateSession(place, infoIn(event), context)],
  ['session.updated', (place, event, context) => translateSession(place, infoIn(event), context)],
  ['session.status', (place, { properties }, context) => translateStatus(place, properties.status, context)],
  ['session.idle', (place, _, context) => translateIdle(place, context)],
  ['session.error', (place, { properties }, context) => translateError(place, properties.error, context)],
  [
    'message.updated',
    /* @__PURE__ */ ofMessage((place, event, context) =>
      translateMessage(messageRef(place, infoIn(event).id), infoIn(event), context),
    ),
  ],
  [
    'message.removed',
    /* @__PURE__ */ ofMessage((place, { properties }, context) =>
      removeMessage(messageRef(place, properties.messageID), context),
    ),
  ],
  [
    'message.part.updated',
    /* @__PURE__ */ ofMessage((place, { properties }, context) => {
      const part = asObject(properties.part)
      translatePart(messageRef(place, part.messageID), partUpdate(place, part, part.id), context)
    }),
  ],
  [
    'message.part.delta',
    /* @__PURE__ */ ofMessage((place, { properties }, context) => {
      const { messageID, partID } = properties
      translateDelta(messageRef(place, messageID), partUpdate(place, properties, partID), context)
    }),
  ],
  [
    'message.part.removed',
    /* @__PURE__ */ ofMessage((place, { properties: { messageID, partID } }, context) =>
      removePart(messageRef(place, messageID), asString(partID) ?? '', context),
    ),
  ],
  ['permission.asked', translateRequest],
  ['permission.updated', translateRequest],
  ['permission.replied', translateReply],
  ['question.asked', translateRequest],
  ['question.replied', translateReply],
  ['question.rejected', translateReply],
  ['todo.updated', (place, { properties }, context) => reportTodos(place, properties.todos, context)],
])

/** Returns a translator that first remembers which message the event is about. */
function ofMessage(translate: Translator): Translator {
  return (place, event, context) => {
    const currentMessage = event.isStored ? undefined : messageIdOf(event.properties)
    const note = sessionNote(place.sessionId, context.notes.values)
    if (note.currentMessage !== currentMessage)
      noteSession(place.sessionId, { currentMessage }, context.notes)
    // An agent without a known call is there as soon as its session has a message.
    if (isUnlinked(place) && note.turn === undefined)
      noteSession(place.sessionId, { turn: 'running' }, context.notes)
    translate(place, event, context)
  }
}

function infoIn({ properties }: BusEvent): JsonObject {
  return asObject(properties.info)
}

/** Translates a session's `info`: cost, revert and, for the main session, the facts of the whole. */
function translateSession(place: EventPlace, info: JsonObject, context: OpencodeContext): void {
  const { sessionId, conversationId } = place
  if (isOlderInfo(place, info, context.notes)) return
  const cost = asFiniteNumber(info.cost)
  if (cost !== undefined) setSessionCost(sessionId, cost, context)
  if (conversationId !== MAIN) return
  updateRevert(place, info.revert, context)
  const { directory, version, program } = info
  context.updateFacts(
    // Only a database names the program.
    omitUndefined({ cwd: asString(directory), version: asString(version), program: asString(program) }),
  )
  // Messages report the latest model, so the session's own one only fills a gap.
  context.addMissingFacts({ model: asString(asObject(info.model).id) })
}

/** Whether the `info` is older than the known one. Otherwise remembers its time. */
function isOlderInfo(
  { sessionId }: EventPlace,
  { time }: JsonObject,
  notes: OpencodeContext['notes'],
): boolean {
  const { updatedAt: before } = sessionNote(sessionId, notes.values)
  const updatedAt = asFiniteNumber(asObject(time).updated)
  if (updatedAt === undefined) return false
  if (before !== undefined && updatedAt < before) return true
  noteSession(sessionId, { updatedAt }, notes)
  return false
}

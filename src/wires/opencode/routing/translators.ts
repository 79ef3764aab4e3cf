import { asObject, asString } from '../../../json/values.ts'
import { removeMessage, translateMessage } from '../blocks/message.ts'
import { removePart, translatePart } from '../blocks/part.ts'
import { translateSession } from '../blocks/session.ts'
import { translateError, translateIdle, translateStatus } from '../blocks/status.ts'
import { translateDelta } from '../blocks/text.ts'
import { reportTodos } from '../blocks/todos.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { rememberCurrentMessage } from '../records/session.ts'
import { translateReply, translateRequest } from '../requests/translate-request.ts'
import { messageIdOf } from './event-ids.ts'
import { type EventPlace, messageRef, partUpdate } from './event-place.ts'

/** Translates an event of one type in the conversation that it belongs to. */
export type Translator = (place: EventPlace, event: BusEvent, context: OpencodeContext) => void

/** Returns the translator of an event type, or undefined if the source does not know the type. */
export function translatorOf(type: string): Translator | undefined {
  return TRANSLATORS.get(type)
}

const TRANSLATORS: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['session.created', sessionInfo],
  ['session.updated', sessionInfo],
  ['session.status', sessionStatus],
  ['session.idle', sessionIdle],
  ['session.error', sessionError],
  ['message.updated', /* @__PURE__ */ ofMessage(messageInfo)],
  ['message.removed', /* @__PURE__ */ ofMessage(messageRemoved)],
  ['message.part.updated', /* @__PURE__ */ ofMessage(wholePart)],
  ['message.part.delta', /* @__PURE__ */ ofMessage(partDelta)],
  ['message.part.removed', /* @__PURE__ */ ofMessage(partRemoved)],
  ['permission.asked', translateRequest],
  ['permission.updated', translateRequest],
  ['permission.replied', translateReply],
  ['question.asked', translateRequest],
  ['question.replied', translateReply],
  ['question.rejected', translateReply],
  ['todo.updated', todosUpdated],
])

/** Returns a translator that first remembers which message the event is about. */
function ofMessage(translate: Translator): Translator {
  return (place, event, context) => {
    const messageId = event.isStored ? undefined : messageIdOf(event.properties)
    rememberCurrentMessage(place.sessionId, messageId, context)
    translate(place, event, context)
  }
}

function sessionInfo(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  translateSession(place, asObject(properties.info), context)
}

function sessionStatus(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  translateStatus(place, properties.status, context)
}

function sessionIdle(place: EventPlace, _event: BusEvent, context: OpencodeContext): void {
  translateIdle(place, context)
}

function sessionError(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  translateError(place, properties.error, context)
}

function messageInfo(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  const info = asObject(properties.info)
  translateMessage(messageRef(place, info.id), info, context)
}

function messageRemoved(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  removeMessage(messageRef(place, properties.messageID), context)
}

function wholePart(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  const part = asObject(properties.part)
  translatePart(messageRef(place, part.messageID), partUpdate(place, part, part.id), context)
}

function partDelta(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  const { messageID, partID } = properties
  translateDelta(messageRef(place, messageID), partUpdate(place, properties, partID), context)
}

function partRemoved(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  removePart(messageRef(place, properties.messageID), asString(properties.partID) ?? '', context)
}

function todosUpdated(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  reportTodos(place, properties.todos, context)
}

import { asObject, asString } from '../../../core/json/values.ts'
import { translateMessage } from '../blocks/message.ts'
import { translatePart } from '../blocks/part.ts'
import { translateSession } from '../blocks/session.ts'
import { translateError, translateIdle, translateStatus } from '../blocks/status.ts'
import { translateDelta } from '../blocks/text.ts'
import { reportTodos } from '../blocks/todos.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { type EventPlace, messageIdOf, messageRef, partUpdate } from '../place.ts'
import { removeMessage, removePart } from '../removal/removal.ts'
import { translateReply, translateRequest } from '../requests/requests.ts'
import { noteSession, sessionNote } from '../sessions.ts'
import { isUnlinked } from '../turn.ts'

/** Translates an event of one type in the conversation that it belongs to. */
export type Translator = (place: EventPlace, event: BusEvent, context: OpencodeContext) => void

/** Returns the translator of an event type, or undefined if the source does not know the type. */
export function translatorOf(type: string): Translator | undefined {
  return TRANSLATORS.get(type)
}

const TRANSLATORS: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['session.created', sessionInfo],
  ['session.updated', sessionInfo],
  ['session.status', (place, { properties }, context) => translateStatus(place, properties.status, context)],
  ['session.idle', (place, _, context) => translateIdle(place, context)],
  ['session.error', (place, { properties }, context) => translateError(place, properties.error, context)],
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
  ['todo.updated', (place, { properties }, context) => reportTodos(place, properties.todos, context)],
])

/** Returns a translator that first remembers which message the event is about. */
function ofMessage(translate: Translator): Translator {
  return (place, event, context) => {
    const currentMessage = event.isStored ? undefined : messageIdOf(event.properties)
    const note = sessionNote(place.sessionId, context)
    if (note.currentMessage !== currentMessage) noteSession(place.sessionId, { currentMessage }, context)
    // An agent without a known call is there as soon as its session has a message.
    if (isUnlinked(place) && note.turn === undefined)
      noteSession(place.sessionId, { turn: 'running' }, context)
    translate(place, event, context)
  }
}

function sessionInfo(place: EventPlace, { properties }: BusEvent, context: OpencodeContext): void {
  translateSession(place, asObject(properties.info), context)
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

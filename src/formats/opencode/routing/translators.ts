import { asObject, asString } from '../../../json/values.ts'
import { removeMessage, translateMessage } from '../blocks/message.ts'
import { removePart, translatePart } from '../blocks/part.ts'
import { translateReply, translateRequest } from '../blocks/request.ts'
import { translateSession } from '../blocks/session.ts'
import { translateError, translateIdle, translateStatus } from '../blocks/status.ts'
import { translateDelta } from '../blocks/text.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { type EventPlace, messageRef, partUpdate } from './event-place.ts'

/** Translates an event of one type in the conversation that it belongs to. */
export type Translator = (place: EventPlace, event: BusEvent, context: OpencodeContext) => void

/** Returns the translator of an event type, or undefined if the source does not know the type. */
export function translatorOf(type: string): Translator | undefined {
  return TRANSLATORS.get(type)
}

const sessionInfo: Translator = (place, { properties }, context) =>
  translateSession(place, asObject(properties.info), context)

const TRANSLATORS: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['session.created', sessionInfo],
  ['session.updated', sessionInfo],
  ['session.status', (place, { properties }, context) => translateStatus(place, properties.status, context)],
  ['session.idle', (place, _event, context) => translateIdle(place, context)],
  ['session.error', (place, { properties }, context) => translateError(place, properties.error, context)],
  [
    'message.updated',
    (place, { properties }, context) => {
      const info = asObject(properties.info)
      translateMessage(messageRef(place, info.id), info, context)
    },
  ],
  [
    'message.removed',
    (place, { properties }, context) => removeMessage(messageRef(place, properties.messageID), context),
  ],
  [
    'message.part.updated',
    (place, { properties }, context) => {
      const part = asObject(properties.part)
      translatePart(messageRef(place, part.messageID), partUpdate(place, part, part.id), context)
    },
  ],
  [
    'message.part.delta',
    (place, { properties }, context) => {
      const { messageID, partID } = properties
      translateDelta(messageRef(place, messageID), partUpdate(place, properties, partID), context)
    },
  ],
  [
    'message.part.removed',
    (place, { properties }, context) =>
      removePart(messageRef(place, properties.messageID), asString(properties.partID) ?? '', context),
  ],
  ['permission.asked', translateRequest],
  ['permission.updated', translateRequest],
  ['question.asked', translateRequest],
  ['permission.replied', translateReply],
  ['question.replied', translateReply],
  ['question.rejected', translateReply],
])

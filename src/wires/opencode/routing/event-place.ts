import { asString, type JsonObject } from '../../../json/values.ts'

/** The session and conversation that an event belongs to. */
export interface EventPlace {
  readonly sessionId: string
  readonly conversationId: string
  readonly eventId: string | undefined
}

/** The address of a message. OpenCode's message ids are unique within a session. */
export interface MessageRef {
  readonly sessionId: string
  readonly conversationId: string
  readonly messageId: string
}

/** Returns the address of a message of the event's session. A missing message id becomes the empty string. */
export function messageRef({ sessionId, conversationId }: EventPlace, messageId: unknown): MessageRef {
  return { sessionId, conversationId, messageId: asString(messageId) ?? '' }
}

/** A part of a message, or a delta of one, with the id of the event that carried it. */
export interface PartUpdate {
  readonly part: JsonObject
  readonly id: string
  readonly eventId: string | undefined
}

/** Returns the part with its id. A missing part id becomes the empty string. */
export function partUpdate({ eventId }: EventPlace, part: JsonObject, id: unknown): PartUpdate {
  return { part, id: asString(id) ?? '', eventId }
}

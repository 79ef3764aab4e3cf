import { type Changes, hasChanges, omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import type { Memory } from '../../reading/context.ts'
import type { OpencodeContext } from './context.ts'
import type { BusEvent } from './event.ts'
import type { SessionNote } from './notes.ts'

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

/** The conversation of a session, and the message of it that an event is about, if it is about one. */
export type SessionPlace = Pick<EventPlace, 'sessionId' | 'conversationId'> &
  Partial<Pick<MessageRef, 'messageId'>>

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

/** Returns the message id of a message's event. */
export function messageIdOf({ messageID, info, part }: JsonObject): string | undefined {
  if (typeof messageID === 'string') return messageID
  const ofPart = isObject(part) ? asString(part.messageID) : undefined
  return ofPart ?? (isObject(info) ? asString(info.id) : undefined)
}

/** The session id of an event that names no session. Such an event belongs to the main session. */
export const NO_SESSION = ''

/** Returns the session id of an event. Older versions of OpenCode name the session only inside `info` or `part`. */
export function sessionIdOf({ properties: { sessionID, info, part } }: BusEvent): string {
  if (typeof sessionID === 'string') return sessionID
  const { sessionID: sessionOfInfo, id } = asObject(info)
  return asString(asObject(part).sessionID) ?? asString(sessionOfInfo) ?? asString(id) ?? NO_SESSION
}

/** Returns the note on a session. */
export function sessionNote(id: string, notes: OpencodeContext['notes']['values']): SessionNote {
  return notes.sessions.get(id) ?? NO_NOTE
}

const NO_NOTE: SessionNote = {}

/** Changes the note on a session. */
export function noteSession(
  id: string,
  changes: Changes<SessionNote>,
  notes: OpencodeContext['notes'],
): void {
  const note = sessionNote(id, notes.values)
  if (hasChanges(note, changes)) notes.setEntry('sessions', id, omitUndefined({ ...note, ...changes }))
}

/**
 * Returns the session of main, or undefined if it is not known yet: the first session that works, or that the input
 * sees begin, and has no parent.
 */
export function mainSession({
  notes: { values: notes },
  state: { facts },
}: Memory<OpencodeContext>): string | undefined {
  return facts.id ?? (notes.hasUnnamedMain ? NO_SESSION : undefined)
}

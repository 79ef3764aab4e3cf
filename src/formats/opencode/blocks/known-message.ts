import type { JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import { PersistentMap } from '../../translation/persistent-map.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownMessage, KnownPart, Turn } from '../memory.ts'

/** Where a message stands. */
export interface MessageRef {
  readonly sessionId: string
  readonly conversationId: string
  readonly messageId: string
}

/** What is known of a message. One whose beginning was missed is the model's: the person's come whole. */
export function messageOf({ sessionId, messageId }: MessageRef, { memory }: OpencodeContext): KnownMessage {
  return memory.messages.get(compositeKey(sessionId, messageId)) ?? newMessage(messageId)
}

export function newMessage(id: string): KnownMessage {
  return {
    id,
    isTold: false,
    isUser: false,
    isSummary: false,
    isComplete: false,
    parts: new PersistentMap<KnownPart>(),
    openParts: [],
  }
}

export function rememberMessage(
  { sessionId, messageId }: MessageRef,
  message: KnownMessage,
  translation: OpencodeContext,
): void {
  translation.remember({
    messages: translation.memory.messages.with(compositeKey(sessionId, messageId), message),
  })
}

/** A part of a message, and the event that brought it. */
export interface PartUpdate {
  readonly part: JsonObject
  readonly id: string
  readonly eventId?: string
}

export function partOf(ref: MessageRef, partId: string, translation: OpencodeContext): KnownPart | undefined {
  return messageOf(ref, translation).parts.get(partId)
}

export function rememberPart(ref: MessageRef, part: KnownPart, translation: OpencodeContext): void {
  const message = messageOf(ref, translation)
  rememberMessage(ref, { ...message, parts: message.parts.with(part.id, part) }, translation)
}

/** Where main's turn stands; subagents have none. */
export function setTurn(
  { conversationId }: Pick<MessageRef, 'conversationId'>,
  turn: Turn,
  translation: OpencodeContext,
): void {
  if (conversationId === MAIN) translation.remember({ turn })
}

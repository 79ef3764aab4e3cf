import { compositeKey } from '../../translation/composite-key.ts'
import { PersistentMap } from '../../translation/persistent-map.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownMessage, KnownPart } from '../memory.ts'
import type { MessageRef } from '../routing/event-place.ts'

/** Returns a message, or undefined before its first event. */
export function findMessage(
  { sessionId, messageId }: MessageRef,
  { memory }: OpencodeContext,
): KnownMessage | undefined {
  return memory.messages.get(compositeKey(sessionId, messageId))
}

/**
 * Returns the known facts of a message. If its first events were missed, the message counts as the model's: user messages
 * arrive whole.
 */
export function knownMessage(ref: MessageRef, context: OpencodeContext): KnownMessage {
  return findMessage(ref, context) ?? newMessage(ref.messageId)
}

/** Returns a message without known facts. */
export function newMessage(id: string): KnownMessage {
  return {
    id,
    isReported: false,
    isUser: false,
    isSummary: false,
    isComplete: false,
    parts: new PersistentMap<KnownPart>(),
    streamingPartIds: [],
  }
}

export function rememberMessage(
  { sessionId, messageId }: MessageRef,
  message: KnownMessage,
  context: OpencodeContext,
): void {
  context.remember({
    messages: context.memory.messages.with(compositeKey(sessionId, messageId), message),
  })
}

export function forgetMessage({ sessionId, messageId }: MessageRef, context: OpencodeContext): void {
  context.remember({ messages: context.memory.messages.without(compositeKey(sessionId, messageId)) })
}

/** Returns a part of a message, or undefined before its first event. */
export function findPart(ref: MessageRef, partId: string, context: OpencodeContext): KnownPart | undefined {
  return knownMessage(ref, context).parts.get(partId)
}

export function rememberPart(ref: MessageRef, part: KnownPart, context: OpencodeContext): void {
  const message = knownMessage(ref, context)
  rememberMessage(ref, { ...message, parts: message.parts.with(part.id, part) }, context)
}

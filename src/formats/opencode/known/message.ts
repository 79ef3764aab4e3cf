import { omitUndefined } from '../../../json/omit-undefined.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { compareStrings } from '../../translation/order.ts'
import { PersistentMap } from '../../translation/persistent-map.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownMessage, KnownPart } from '../memory.ts'
import type { MessageRef } from '../routing/event-place.ts'
import { knownSession } from './session.ts'

/** Returns a message, or undefined before its first event. */
export function findMessage(
  { sessionId, messageId }: MessageRef,
  context: OpencodeContext,
): KnownMessage | undefined {
  return context.memory.messages.get(context.keyOf(sessionId, messageId))
}

/**
 * Returns the known facts of a message. If its first events were missed, the message counts as the model's: user messages
 * arrive whole.
 */
export function knownMessage(ref: MessageRef, context: OpencodeContext): KnownMessage {
  const found = findMessage(ref, context)
  if (found) return found
  // The event of the message came before the state that the memory was resumed from. It set the session's model.
  const { resumedModel } = knownSession(ref.sessionId, context)
  return omitUndefined({ ...newMessage(ref.messageId), model: resumedModel })
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
    messages: context.memory.messages.with(context.keyOf(sessionId, messageId), message),
  })
}

/** Forgets a removed message, and remembers that it was removed. */
export function forgetMessage({ sessionId, messageId }: MessageRef, context: OpencodeContext): void {
  const { messages, removedMessages } = context.memory
  const key = context.keyOf(sessionId, messageId)
  context.remember({ messages: messages.without(key), removedMessages: removedMessages.with(key, messageId) })
}

/** Whether the message was removed. OpenCode never uses its id again: an event of it is a repeated one. */
export function isRemovedMessage({ sessionId, messageId }: MessageRef, context: OpencodeContext): boolean {
  const { removedMessages } = context.memory
  return !removedMessages.isEmpty && removedMessages.get(context.keyOf(sessionId, messageId)) !== undefined
}

/** Whether the part, or its message, was removed. */
export function isRemovedPart(ref: MessageRef, partId: string, context: OpencodeContext): boolean {
  return (
    isRemovedMessage(ref, context) || findMessage(ref, context)?.removedPartIds?.includes(partId) === true
  )
}

/**
 * Whether a text was removed before the state that the memory was resumed from. OpenCode makes ascending part ids: the state would show
 * the text before the last one of its message.
 */
export function isRemovedText(ref: MessageRef, partId: string, context: OpencodeContext): boolean {
  const { parts, lastResumedPartId } = knownMessage(ref, context)
  if (lastResumedPartId === undefined || parts.get(partId)) return false
  return compareStrings(partId, lastResumedPartId) < 0
}

/** Returns a part of a message, or undefined before its first event. */
export function findPart(ref: MessageRef, partId: string, context: OpencodeContext): KnownPart | undefined {
  return knownMessage(ref, context).parts.get(partId)
}

export function rememberPart(ref: MessageRef, part: KnownPart, context: OpencodeContext): void {
  const message = knownMessage(ref, context)
  const parts = message.parts.with(part.id, part)
  if (parts !== message.parts)
    rememberMessage(ref, withChanges(message, { parts: context.open(parts) }), context)
}

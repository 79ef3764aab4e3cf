import { compareStrings } from '../../../json/compare-strings.ts'
import type { Mutable } from '../../../json/mutable.ts'
import { PersistentMap } from '../../../session/notes/persistent-map.ts'
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
  return Object.assign(newMessage(ref.messageId), { model: resumedModel })
}

/** A message that the current batch may change in place. */
export type OwnMessage = Mutable<KnownMessage>

/** Returns a message without known facts. All messages have the same fields in the same order, because V8 reads such objects fastest. */
export function newMessage(id: string): OwnMessage {
  return {
    id,
    isReported: false,
    isUser: false,
    isSummary: false,
    isComplete: false,
    isRefused: undefined,
    model: undefined,
    timestamp: undefined,
    parts: new PersistentMap<KnownPart>(),
    streamingPartIds: [],
    removedPartIds: undefined,
    lastResumedPartId: undefined,
    changes: undefined,
  }
}

/** Forgets a removed message, and remembers that it was removed. */
export function forgetMessage(ref: MessageRef, context: OpencodeContext): void {
  const { sessionId, messageId } = ref
  context.setMessage(ref, undefined)
  context.setEntry('removedMessages', context.keyOf(sessionId, messageId), messageId)
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
export function isRemovedText({ parts, lastResumedPartId }: KnownMessage, partId: string): boolean {
  if (lastResumedPartId === undefined || parts.get(partId)) return false
  return compareStrings(partId, lastResumedPartId) < 0
}

/** Returns a part of a message, or undefined before its first event. */
export function findPart(ref: MessageRef, partId: string, context: OpencodeContext): KnownPart | undefined {
  return knownMessage(ref, context).parts.get(partId)
}

export function rememberPart(ref: MessageRef, part: KnownPart, context: OpencodeContext): void {
  const message = context.ownMessage(ref)
  const parts = message.parts.with(part.id, part)
  if (parts !== message.parts) message.parts = context.open(parts)
}

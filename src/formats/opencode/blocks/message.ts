import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, type JsonObject } from '../../../json/values.ts'
import { MAIN } from '../../../state/session.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import { forgetAnnounced } from '../agents/task-run.ts'
import type { OpencodeContext } from '../context.ts'
import { rememberSession, sessionOf } from '../events/session.ts'
import { isoTime } from '../events/time.ts'
import type { KnownMessage, Turn } from '../memory.ts'
import { noteError, turnAfterError } from './error.ts'
import { type MessageRef, newMessage, rememberMessage, setTurn } from './known-message.ts'
import { reportTokens } from './usage.ts'

/** The program tells of a message: that it begins, what is known of it, that it is complete. */
export function translateMessage(ref: MessageRef, info: JsonObject, translation: OpencodeContext): void {
  const before = translation.memory.messages.get(compositeKey(ref.sessionId, ref.messageId))
  const { created, completed } = asObject(info.time)
  const message = omitUndefined({
    ...(before ?? newMessage(ref.messageId)),
    isTold: true,
    isUser: info.role === 'user',
    isSummary: info.summary === true,
    isComplete: before?.isComplete === true || typeof completed === 'number',
    model: asString(info.modelID),
    timestamp: isoTime(created),
  })
  rememberMessage(ref, message, translation)
  if (message.isUser) return before ? undefined : setTurn(ref, 'running', translation)
  if (!before) openMessage(ref, translation)
  translateAnswer(ref, { info, message, wasComplete: before?.isComplete === true }, translation)
}

function translateAnswer(
  ref: MessageRef,
  answer: { readonly info: JsonObject; readonly message: KnownMessage; readonly wasComplete: boolean },
  translation: OpencodeContext,
): void {
  const { info, message, wasComplete } = answer
  if (ref.conversationId === MAIN) translation.updateFacts(omitUndefined({ model: message.model }))
  reportTokens(ref, { tokens: info.tokens, isFinal: message.isComplete, model: message.model }, translation)
  if (isObject(info.error)) {
    const timestamp = isoTime(asObject(info.time).completed)
    noteError(info.error, omitUndefined({ ...ref, id: errorId(ref.messageId), timestamp }), translation)
  }
  if (!message.isComplete || wasComplete) return
  completeMessage(ref, message, translation)
  setTurn(ref, turnAfter(info), translation)
}

/** The id of the block that says what ended a message before its time. */
export function errorId(messageId: string): string {
  return `${messageId}:error`
}

/** A session answers one message at a time: what an earlier one left open was cut off. */
export function openMessage(
  { sessionId, conversationId, messageId }: MessageRef,
  translation: OpencodeContext,
): void {
  const session = sessionOf(sessionId, translation)
  if (session.openMessage !== undefined) translation.emit({ type: 'session:idle', conversationId })
  rememberSession({ ...session, openMessage: messageId }, translation)
}

/** What the message still streams when it is complete will not be finished any more. */
function completeMessage(ref: MessageRef, message: KnownMessage, translation: OpencodeContext): void {
  closeMessage(ref, translation)
  if (message.openParts.length === 0) return
  rememberMessage(ref, { ...message, openParts: [] }, translation)
  translation.emit({ type: 'session:idle', conversationId: ref.conversationId })
}

/** The message has come to its end, or was taken back. */
export function closeMessage({ sessionId, messageId }: MessageRef, translation: OpencodeContext): void {
  const session = sessionOf(sessionId, translation)
  if (session.openMessage === messageId) rememberSession({ ...session, openMessage: undefined }, translation)
}

function turnAfter({ error, finish }: JsonObject): Turn {
  if (isObject(error)) return turnAfterError(error)
  return finish === 'tool-calls' ? 'running' : 'answered'
}

/** The program takes a message back: it was reverted, or it never was. */
export function removeMessage(ref: MessageRef, translation: OpencodeContext): void {
  const { messages } = translation.memory
  const key = compositeKey(ref.sessionId, ref.messageId)
  const message = messages.get(key)
  if (!message) return
  translation.remember({ messages: messages.without(key) })
  const parts = message.parts.values()
  for (const { callId } of parts) if (callId !== undefined) forgetAnnounced(callId, translation)
  const blockIds = parts.flatMap((part) => part.blockIds)
  for (const blockId of new Set([...blockIds, errorId(message.id)]))
    translation.emit({ type: 'block:removed', conversationId: ref.conversationId, blockId })
  closeMessage(ref, translation)
}

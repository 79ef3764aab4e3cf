import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { TurnEnd } from '../../../session/turn.ts'
import type { OpencodeContext } from '../context.ts'
import type { MessageError } from '../memory.ts'
import { knownSession } from '../records/session.ts'
import type { MessageRef } from '../routing/event-place.ts'
import { upsertSystemBlock } from './system-block.ts'

/** Whether the user stopped the session, which is no failure. */
function isAborted({ name }: JsonObject): boolean {
  return name === 'MessageAbortedError'
}

/** Returns how an error ends the turn: an abort interrupts the turn, another error fails it. */
export function failureOf(error: JsonObject): TurnEnd {
  return isAborted(error) ? { outcome: 'interrupted' } : { outcome: 'failed', error: messageOf(error) }
}

function messageOf({ name, data }: JsonObject): string {
  return asString(asObject(data).message) ?? asString(name) ?? NO_MESSAGE
}

/** The text of an error that has neither a message nor a name. */
export const NO_MESSAGE = 'the turn failed'

interface ErrorPlace {
  readonly conversationId: string
  readonly id: string
  readonly timestamp: string | undefined
}

/** Shows the error that ended a message or a session's turn. An abort becomes a system block `interruption`. */
export function upsertError(
  error: JsonObject,
  { conversationId, id, timestamp }: ErrorPlace,
  context: OpencodeContext,
): void {
  const code = asString(error.name)
  const message = messageOf(error)
  if (isAborted(error))
    return upsertSystemBlock(conversationId, { id, subtype: 'interruption', message, timestamp }, context)
  const block = { type: 'error', id, status: 'error', message, code, timestamp } as const
  context.upsert(conversationId, omitUndefined(block))
}

/** Remembers the error that ended a message. The session reports the same error. */
export function rememberError(
  { sessionId, messageId }: MessageRef,
  error: JsonObject,
  { parentID }: JsonObject,
  context: OpencodeContext,
): void {
  const session = knownSession(sessionId, context)
  if (session.errors.some((known) => known.messageId === messageId)) return
  const facts = omitUndefined({ messageId, parentId: asString(parentID), ...errorFacts(error) })
  context.ownSession(sessionId).errors = [...session.errors, facts]
}

/**
 * Whether a message has already reported the session's error, as after an export. Its turn is the one that the bus is at: the last
 * event was about the message or its prompt, or there was none since the export.
 */
export function isReportedError(sessionId: string, error: JsonObject, context: OpencodeContext): boolean {
  const { errors, currentMessageId: current } = knownSession(sessionId, context)
  const { code, text } = errorFacts(error)
  return errors
    .filter((known) => known.code === code && known.text === text)
    .some(({ messageId, parentId }) => current === undefined || current === messageId || current === parentId)
}

/** Remembers the block of a session's error that no open message is known for. The message reports the same error later. */
export function rememberUnassignedError(
  { sessionId }: Pick<MessageRef, 'sessionId'>,
  blockId: string,
  error: JsonObject,
  context: OpencodeContext,
): void {
  context.ownSession(sessionId).unassignedError = { blockId, ...errorFacts(error) }
}

/** Forgets the error of an earlier turn. */
export function forgetUnassignedError(
  { sessionId }: Pick<MessageRef, 'sessionId'>,
  context: OpencodeContext,
): void {
  if (knownSession(sessionId, context).unassignedError)
    context.ownSession(sessionId).unassignedError = undefined
}

/** Removes the block of a session's error that a message now reports as its own. */
export function takeBackUnassignedError(ref: MessageRef, error: JsonObject, context: OpencodeContext): void {
  const { unassignedError } = knownSession(ref.sessionId, context)
  const { code, text } = errorFacts(error)
  if (!unassignedError || unassignedError.code !== code || unassignedError.text !== text) return
  forgetUnassignedError(ref, context)
  const { conversationId } = ref
  context.emit({ type: 'block:removed', conversationId, blockId: unassignedError.blockId })
}

function errorFacts({ name, data }: JsonObject): Pick<MessageError, 'code' | 'text'> {
  return omitUndefined({ code: asString(name), text: asString(asObject(data).message) })
}

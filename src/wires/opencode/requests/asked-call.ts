import { compositeKey } from '../../../json/composite-key.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { OpencodeContext } from '../context.ts'
import { findMessage, findPart, isRemovedMessage } from '../records/message.ts'
import { isOfEarlierTurn } from '../records/turn.ts'
import type { EventPlace, MessageRef } from '../routing/event-place.ts'

/** The call that a request holds up. */
interface AskedCall {
  readonly messageId?: string
  readonly toolUseId?: string
}

/** Returns the call that a request names. Versions before 1.1 name it outside of `tool`. */
export function askedCall(
  { sessionId }: EventPlace,
  { tool, messageID, callID }: JsonObject,
  { memory }: OpencodeContext,
): AskedCall {
  const messageId = asString(asObject(tool).messageID) ?? asString(messageID)
  const callId = asString(asObject(tool).callID) ?? asString(callID)
  const owner = memory.partIdByCall.get(compositeKey(sessionId, messageId ?? '', callId ?? ''))
  const toolUseId = owner ?? callId
  return { ...(messageId !== undefined && { messageId }), ...(toolUseId !== undefined && { toolUseId }) }
}

/** Whether the call has ended, or was removed: an event that asks for it is a repeated one. */
export function isCallOver(
  { sessionId, conversationId }: EventPlace,
  { messageId, toolUseId = '' }: AskedCall,
  context: OpencodeContext,
): boolean {
  if (messageId === undefined) return false
  const ref = { sessionId, conversationId, messageId }
  if (isOfEarlierTurn(ref, context) || isRemovedMessage(ref, context)) return true
  return findMessage(ref, context)?.isComplete === true || hasResult(ref, toolUseId, context)
}

function hasResult(ref: MessageRef, toolUseId: string, context: OpencodeContext): boolean {
  const { partIdByCall, tasks } = context.memory
  const task = tasks.get(toolUseId)
  const partId = partIdByCall.get(compositeKey(ref.sessionId, toolUseId)) ?? toolUseId
  // A subagent has a session as soon as its call may run.
  return task?.agentId !== undefined || findPart(ref, partId, context)?.isFinal === true
}

import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { compositeKey } from '../../../core/json/lists.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import { requestBlockId } from '../../kit/requests.ts'
import { isoTime } from '../../kit/time.ts'
import { hasResult } from '../blocks/calls.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { findMessage, isRemoved, messageNote, noteMessage } from '../messages.ts'
import type { EventPlace, MessageRef } from '../place.ts'
import { continueTurn, isOfEarlierTurn } from '../turn.ts'
import { askedFacts, type RequestResult, type RequestTrace, requestTrace, resultOf } from './request-facts.ts'

/** Shows a request for a permission, or questions. The block is pending until the answer arrives. */
export function translateRequest(
  place: EventPlace,
  { type, properties }: BusEvent,
  context: OpencodeContext,
): void {
  const { sessionId, conversationId } = place
  const id = asString(properties.id)
  if (id === undefined || context.findBlock(conversationId, id)) return
  const call = askedCall(place, properties, context)
  if (isCallOver(place, call, context)) return
  const { messageId, toolUseId } = call
  const timestamp = isoTime(asObject(properties.time).created)
  const facts = askedFacts(type, properties)
  continueTurn(omitUndefined({ sessionId, conversationId, messageId }), context)
  context.upsert(conversationId, { type: 'request', id, status: 'pending', ...facts, toolUseId, timestamp })
}

/** Completes a request with the person's answer. If the request was missed, its call shows what matters. */
export function translateReply(
  { conversationId }: EventPlace,
  { type, properties }: BusEvent,
  context: OpencodeContext,
): void {
  const id = asString(properties.requestID) ?? asString(properties.permissionID) ?? ''
  const request = context.findBlock(conversationId, id)
  if (request?.type === 'request') completeRequest(request, resultOf(type, properties), context)
}

/** Completes a request. Known facts of the answer stay. Without an answer, the request was withdrawn. */
function completeRequest(request: BlockOf<'request'>, result: RequestResult, context: OpencodeContext): void {
  const complete = withChanges(request, { status: 'complete', ...result })
  const { conversationId, id } = request
  if (context.isOpen(conversationId, id) || !isEqual(request, complete))
    context.upsert(conversationId, complete)
}

/** The call that a request holds up. */
interface AskedCall {
  readonly messageId: string | undefined
  readonly toolUseId: string | undefined
}

/** Returns the call that a request names. Versions before 1.1 name it outside of `tool`. */
function askedCall(
  { sessionId }: EventPlace,
  { tool, messageID, callID }: JsonObject,
  { notes }: OpencodeContext,
): AskedCall {
  const messageId = asString(asObject(tool).messageID) ?? asString(messageID)
  const callId = asString(asObject(tool).callID) ?? asString(callID)
  const owner = notes.callParts.get(compositeKey(sessionId, messageId ?? '', callId ?? ''))
  return { messageId, toolUseId: owner ?? callId }
}

/** Whether the call has ended, or was removed: an event that asks for it is a repeated one. */
function isCallOver(
  { sessionId, conversationId }: EventPlace,
  { messageId, toolUseId = '' }: AskedCall,
  context: OpencodeContext,
): boolean {
  if (messageId === undefined) return false
  const ref = { sessionId, conversationId, messageId }
  if (isOfEarlierTurn(ref, context) || isRemoved(sessionId, messageId, context)) return true
  if (findMessage(ref, context)?.isComplete || hasResult(conversationId, toolUseId, context)) return true
  // An agent has a session as soon as its call may run.
  return context.agentOfCall(toolUseId)?.agentId !== undefined
}

/**
 * Completes the request of a call that has ended: with the answer that the call shows, or without one. If no event showed the request,
 * as in an export, the call's trace becomes the request.
 */
export function resolveRequests(
  ref: MessageRef,
  part: JsonObject,
  toolUseId: string,
  context: OpencodeContext,
): void {
  const { conversationId } = ref
  const trace = requestTrace(part)
  if (trace?.result.denied && trace.result.comment === undefined) noteRefusal(ref, context)
  const requests = context.requestsOfCall(conversationId, toolUseId)
  const isOpen = ({ id }: BlockOf<'request'>) => context.isOpen(conversationId, id)
  const last = requests.findLast(isOpen) ?? (trace && requests.at(-1))
  const isTraced = trace !== undefined && last !== undefined && isTraceOf(trace, last)
  if (last && (isTraced || isOpen(last))) completeRequest(last, isTraced ? trace.result : {}, context)
  if (!trace || isTraced) return
  const { facts, result } = trace
  const id = requestBlockId(toolUseId)
  context.upsert(conversationId, { type: 'request', id, status: 'complete', ...facts, toolUseId, ...result })
}

function noteRefusal(ref: MessageRef, context: OpencodeContext): void {
  const note = messageNote(ref, context)
  if (note?.isOpen || note?.isUnreported) noteMessage(ref, { isRefused: true }, context)
}

/** A call may ask for several permissions, one after the other. An answer that differs belongs to a later one, which was missed. */
function isTraceOf({ facts, result }: RequestTrace, request: BlockOf<'request'>): boolean {
  if (facts.kind !== request.kind) return false
  const { answer } = request
  return answer === undefined || result.answer === undefined || isEqual(answer, result.answer)
}

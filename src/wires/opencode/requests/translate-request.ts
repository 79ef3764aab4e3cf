import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { isoTime } from '../../../session/time.ts'
import type { OpencodeContext } from '../context.ts'
import type { BusEvent } from '../events/event.ts'
import { continueTurn } from '../records/turn.ts'
import type { EventPlace } from '../routing/event-place.ts'
import { askedCall, isCallOver } from './asked-call.ts'
import { REJECTED, type RequestResult } from './call-trace.ts'
import { completeRequest, upsertRequest } from './known-request.ts'
import { askedPermission } from './permission.ts'
import { askedQuestions, readAnswers } from './question.ts'

/** Shows a request for a permission, or questions. The block is pending until the answer arrives. */
export function translateRequest(
  place: EventPlace,
  { type, properties }: BusEvent,
  context: OpencodeContext,
): void {
  const id = asString(properties.id)
  if (id === undefined || context.memory.requests.get(id)) return
  const call = askedCall(place, properties, context)
  if (isCallOver(place, call, context)) return
  const { sessionId, conversationId } = place
  const { messageId, toolUseId } = call
  const facts = type.startsWith('question') ? askedQuestions(properties) : askedPermission(properties)
  const timestamp = isoTime(asObject(properties.time).created)
  const block = {
    type: 'request',
    id,
    conversationId,
    status: 'pending',
    ...facts,
    toolUseId,
    timestamp,
  } as const
  continueTurn(omitUndefined({ sessionId, conversationId, messageId }), context)
  upsertRequest(sessionId, omitUndefined(block), context)
}

/** Completes a request with the person's answer. If the request was missed, its call shows what matters. */
export function translateReply(
  { sessionId }: EventPlace,
  { type, properties }: BusEvent,
  context: OpencodeContext,
): void {
  const id = asString(properties.requestID) ?? asString(properties.permissionID) ?? ''
  const request = context.memory.requests.get(id)
  if (request) completeRequest(sessionId, request, resultOf(type, properties), context)
}

function resultOf(type: string, { reply, response, answers }: JsonObject): RequestResult {
  if (type === 'question.replied') return { answer: readAnswers(answers) }
  const answer = type === 'question.rejected' ? 'reject' : (asString(reply) ?? asString(response))
  if (answer === undefined) return {}
  return answer === 'reject' ? REJECTED : { answer }
}

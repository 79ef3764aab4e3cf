import { isEqual } from '../../../json/equal.ts'
import type { JsonObject } from '../../../json/values.ts'
import { requestBlockId } from '../../../session/requests.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { OpencodeContext } from '../context.ts'
import type { MessageRef } from '../routing/event-place.ts'
import { type RequestTrace, requestTrace } from './call-trace.ts'
import { completeRequest, lastRequest, upsertRequest } from './known-request.ts'

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
  const { sessionId, conversationId } = ref
  const trace = requestTrace(part)
  if (trace?.result.denied && trace.result.comment === undefined) context.ownMessage(ref).isRefused = true
  const last = lastRequest(sessionId, toolUseId, context)
  const isTraced = trace !== undefined && last !== undefined && isTraceOf(trace, last)
  if (last && (isTraced || last.status === 'pending'))
    completeRequest(sessionId, last, isTraced ? trace.result : {}, context)
  if (!trace || isTraced) return
  const { facts, result } = trace
  const id = requestBlockId(toolUseId)
  const block = {
    type: 'request',
    id,
    conversationId,
    status: 'complete',
    ...facts,
    toolUseId,
    ...result,
  } as const
  upsertRequest(sessionId, block, context)
}

/** A call may ask for several permissions, one after the other. An answer that differs belongs to a later one, which was missed. */
function isTraceOf({ facts, result }: RequestTrace, request: BlockOf<'request'>): boolean {
  if (facts.kind !== request.kind) return false
  const { answer } = request
  return answer === undefined || result.answer === undefined || isEqual(answer, result.answer)
}

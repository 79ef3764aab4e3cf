import { omitUndefined } from '../../../json/omit-undefined.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { closeRequest, rememberRequest, rpcBlockId } from '../../../session/rpc-requests.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { isRefusal } from './read-request.ts'

/** Shows a request of the program to the person. A repeated request stays as it is. */
export function showRequest(
  threadId: string,
  { requestId, request, time }: CodexEventOf<'request'>,
  context: CodexContext,
): void {
  const id = rpcBlockId(request.toolUseId ?? threadId, requestId)
  if (context.memory.requests.get(requestId)?.id === id) return
  const conversationId = context.conversationOf(threadId)
  const block = omitUndefined({
    type: 'request',
    id,
    conversationId,
    status: 'pending',
    ...request,
    timestamp: time,
  })
  const isOver = context.item(threadId, request.toolUseId ?? '')?.endedBy !== undefined
  rememberRequest(requestId, isOver ? { ...block, status: 'complete' } : block, context)
  // The answer to a request whose call has ended may still be news.
  if (!isOver) context.showWork(threadId, block, time)
}

/** Shows the answer to a request. The program may only state that the request is over. */
export function answerRequest({ requestId, answer }: CodexEventOf<'answer'>, context: CodexContext): void {
  const request = context.memory.requests.get(requestId)
  if (!request || request.answer !== undefined || (request.status !== 'pending' && answer === undefined))
    return
  const { denied: _, ...open } = request
  const facts = omitUndefined({ answer, denied: isRefusal(answer) ? true : undefined })
  closeRequest(requestId, withChanges(open, { status: 'complete', ...facts }), context)
}

/** A refused call shows the answer to its request, if the client's answer is not in the log. */
export function markRefused(callId: string, context: CodexContext): void {
  for (const [requestId, request] of context.memory.requests.entries())
    if (request.toolUseId === callId && request.answer === undefined && !request.denied)
      closeRequest(requestId, withChanges(request, { status: 'complete', denied: true }), context)
}

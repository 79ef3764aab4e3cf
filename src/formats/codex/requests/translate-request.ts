import { omitUndefined } from '../../../json/omit-undefined.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { isRefusal } from './read-request.ts'

/** The ids of JSON-RPC requests begin again with each connection. A block id has that of the call too. */
const SEPARATOR = ':request:'

/** Returns the id of the JSON-RPC request in the id of a block. */
export function requestIdOf(blockId: string): string {
  return blockId.slice(blockId.lastIndexOf(SEPARATOR) + SEPARATOR.length)
}

/** Shows a request of the program to the person. A repeated request stays as it is. */
export function showRequest(
  threadId: string,
  { requestId, request, time }: CodexEventOf<'request'>,
  context: CodexContext,
): void {
  const id = (request.toolUseId ?? threadId) + SEPARATOR + requestId
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
  remember(requestId, isOver ? { ...block, status: 'complete' } : block, context)
  // The answer to a request whose call has ended may still be news.
  if (!isOver) context.showWork(threadId, block, time)
}

function remember(requestId: string, block: BlockOf<'request'>, context: CodexContext): void {
  context.setEntry('requests', requestId, block)
}

/** Shows the answer to a request. The program may only state that the request is over. */
export function answerRequest({ requestId, answer }: CodexEventOf<'answer'>, context: CodexContext): void {
  const request = context.memory.requests.get(requestId)
  if (!request || request.answer !== undefined || (request.status !== 'pending' && answer === undefined))
    return
  const denied = isRefusal(answer) ? true : undefined
  close(requestId, omitUndefined({ ...request, status: 'complete', answer, denied }), context)
}

function close(requestId: string, block: BlockOf<'request'>, context: CodexContext): void {
  remember(requestId, block, context)
  context.upsert(block.conversationId, block)
}

/** A refused call shows the answer to its request, if the client's answer is not in the log. */
export function markRefused(callId: string, context: CodexContext): void {
  for (const [requestId, request] of context.memory.requests.entries())
    if (request.toolUseId === callId && request.answer === undefined && !request.denied)
      close(requestId, { ...request, status: 'complete', denied: true }, context)
}

/** Withdraws the open requests of a conversation whose turn has ended. */
export function withdrawRequestsOf(conversationId: string, context: CodexContext): void {
  for (const [requestId, request] of context.memory.requests.entries())
    if (request.status === 'pending' && request.conversationId === conversationId)
      close(requestId, { ...request, status: 'complete' }, context)
}

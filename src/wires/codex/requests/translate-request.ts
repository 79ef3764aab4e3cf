import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import { rpcBlockId } from '../../kit/rpc-requests.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { isRefusal } from './read-request.ts'

/** Shows a request of the program to the person. A repeated request stays as it is. */
export function showRequest(
  threadId: string,
  { requestId, request, time }: CodexEventOf<'request'>,
  context: CodexContext,
): void {
  const { toolUseId = '' } = request
  const id = rpcBlockId(request.toolUseId ?? threadId, requestId)
  if (context.blockOf(threadId, id) || context.notes.requests.get(requestId)?.blockId === id) return
  const conversationId = context.conversationOf(threadId)
  const facts = { ...request, timestamp: time }
  const block = omitUndefined({ type: 'request', id, conversationId, status: 'pending', ...facts })
  const isOver = context.isDone(threadId, toolResultBlockId(toolUseId))
  const hidden = isOver ? block : undefined
  context.setEntry('requests', requestId, omitUndefined({ threadId, blockId: id, hidden }))
  if (!isOver) context.showWork(threadId, block, time)
}

/** Shows the answer to a request. The program may only state that the request is over. */
export function answerRequest({ requestId, answer }: CodexEventOf<'answer'>, context: CodexContext): void {
  const request = findRequest(requestId, context)
  if (!request || (answer === undefined && !context.isOpen(request.conversationId, request.id))) return
  const { denied: _, ...open } = request
  if (answer !== undefined) context.removeEntry('requests', requestId)
  const facts = omitUndefined({ answer, denied: isRefusal(answer) ? true : undefined })
  context.upsert(request.conversationId, withChanges(open, { status: 'complete', ...facts }))
}

/** A refused call shows the answer to its request, if the client's answer is not in the log. */
export function markRefused(callId: string, context: CodexContext): void {
  for (const [requestId, { threadId, blockId }] of context.notes.requests.entries()) {
    const request = findRequest(requestId, context)
    if (request?.toolUseId !== callId || request.denied) continue
    context.setEntry('requests', requestId, { threadId, blockId })
    context.upsert(request.conversationId, withChanges(request, { status: 'complete', denied: true }))
  }
}

/** Returns the block of a request without an answer. */
function findRequest(requestId: string, context: CodexContext): BlockOf<'request'> | undefined {
  const note = context.notes.requests.get(requestId)
  const block = note && (note.hidden ?? context.blockOf(note.threadId, note.blockId))
  return block?.type === 'request' ? block : undefined
}

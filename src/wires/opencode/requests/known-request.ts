import { compositeKey } from '../../../json/composite-key.ts'
import { isEqual } from '../../../json/equal.ts'
import { withChanges } from '../../../json/with-changes.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { OpencodeContext } from '../context.ts'
import type { RequestResult } from './call-trace.ts'

/** Shows a request, and remembers it by its id and by its call. */
export function upsertRequest(sessionId: string, block: BlockOf<'request'>, context: OpencodeContext): void {
  rememberRequest(sessionId, block, context)
  context.upsert(block.conversationId, block)
}

/** Remembers a request by its id and by its call. */
export function rememberRequest(
  sessionId: string,
  block: BlockOf<'request'>,
  context: OpencodeContext,
): void {
  const { callRequests } = context.memory
  const { id, toolUseId } = block
  context.setEntry('requests', id, block)
  if (toolUseId === undefined) return
  const key = compositeKey(sessionId, toolUseId)
  const ids = callRequests.get(key)?.ids ?? []
  if (!ids.includes(id)) context.setEntry('callRequests', key, { ids: [...ids, id] })
}

/** Completes a request. Known facts of the answer stay. Without an answer, the request was withdrawn. */
export function completeRequest(
  sessionId: string,
  request: BlockOf<'request'>,
  result: RequestResult,
  context: OpencodeContext,
): void {
  const complete = withChanges(request, { status: 'complete', ...result })
  if (!isEqual(request, complete)) upsertRequest(sessionId, complete, context)
}

/** Returns the last request of a call, or undefined if it made none. */
export function lastRequest(
  sessionId: string,
  toolUseId: string,
  { memory }: OpencodeContext,
): BlockOf<'request'> | undefined {
  const id = memory.callRequests.get(compositeKey(sessionId, toolUseId))?.ids.at(-1)
  return id === undefined ? undefined : memory.requests.get(id)
}

/** Forgets the requests of removed calls. Returns the ids of the calls' blocks together with those of the requests. */
export function takeRequests(
  blockIds: readonly string[],
  { sessionId }: { readonly sessionId: string },
  context: OpencodeContext,
): readonly string[] {
  return blockIds.flatMap((blockId) => {
    const { callRequests } = context.memory
    const { ids } = callRequests.get(compositeKey(sessionId, blockId)) ?? { ids: [] }
    for (const id of ids) context.removeEntry('requests', id)
    return [blockId, ...ids]
  })
}

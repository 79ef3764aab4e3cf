import { asString } from '../json/values.ts'
import type { BlockOf } from '../state/block.ts'
import type { TranslationContext } from './context.ts'
import type { CommonNotes } from './notes/notes.ts'
import type { PersistentMap } from './notes/persistent-map.ts'

/** The context of a JSON-RPC connection. */
type RpcContext = TranslationContext<CommonNotes & { readonly requests: PersistentMap<BlockOf<'request'>> }>

/** Returns the id of a JSON-RPC message as a text. Such ids are numbers or texts. */
export function rpcIdOf(id: unknown): string | undefined {
  return typeof id === 'number' ? String(id) : asString(id)
}

const SEPARATOR = ':request:'

/** Returns the id of a request's block. The ids of requests begin again with each connection, so it has that of the call or conversation too. */
export function rpcBlockId(place: string, requestId: string): string {
  return place + SEPARATOR + requestId
}

/** Returns the id of the JSON-RPC request in the id of a block. */
export function requestIdOf(blockId: string): string {
  return blockId.slice(blockId.lastIndexOf(SEPARATOR) + SEPARATOR.length)
}

export function rememberRequest(requestId: string, block: BlockOf<'request'>, context: RpcContext): void {
  context.setEntry('requests', requestId, block)
}

/** Shows and remembers a request that is over. */
export function closeRequest(requestId: string, block: BlockOf<'request'>, context: RpcContext): void {
  rememberRequest(requestId, block, context)
  context.upsert(block.conversationId, block)
}

/** Withdraws the open requests of a conversation whose turn has ended. */
export function withdrawRequestsOf(conversationId: string, context: RpcContext): void {
  for (const [requestId, request] of context.memory.requests.entries())
    if (request.status === 'pending' && request.conversationId === conversationId)
      closeRequest(requestId, { ...request, status: 'complete' }, context)
}

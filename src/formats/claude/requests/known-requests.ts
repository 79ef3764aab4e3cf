import { isEqual } from '../../../json/equal.ts'
import { asObject, type JsonObject } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'
import type { RequestedCall } from './facts.ts'

/** A request with its answer, if there is one. */
export type Request = BlockOf<'request'>

/** The key of a request: its call. The stream and the file name the call, and only the stream has an id for the request. */
export function requestKey({ toolUseId, id }: Pick<Request, 'toolUseId' | 'id'>): string {
  return toolUseId ?? id
}

/** Adds a request, or replaces it by one with an answer. A request that stays the same adds nothing. */
export function storeRequest(request: Request, context: ClaudeContext): void {
  const { requests } = context.memory
  const key = requestKey(request)
  if (isEqual(requests.get(key), request)) return
  context.remember({ requests: requests.with(key, request) })
  context.upsert(request.conversationId, request)
}

/** Returns the request with that id of the program. */
export function requestById(id: string, { requests, requestCalls }: ClaudeMemory): Request | undefined {
  return requests.get(requestCalls.get(id) ?? '')
}

/** Names a call: its conversation, and its own id. */
export interface CallRef {
  readonly conversationId: string
  readonly toolUseId: string
}

/** Returns a call that waits for its result, or for its agent. */
export function waitingCall(
  { conversationId, toolUseId }: CallRef,
  { pendingCalls, agents }: ClaudeMemory,
): RequestedCall | undefined {
  const call = pendingCalls.get(compositeKey(conversationId, toolUseId))
  if (call) return { toolName: call.toolName, input: asObject(call.input) }
  const agent = agents.get(toolUseId)
  if (!agent?.hasOpenCall) return undefined
  return { toolName: AGENT, input: agentInput(agent) }
}

/** The tool that starts agents. */
const AGENT = 'Agent'

function agentInput({ description }: { readonly description?: string }): JsonObject {
  return description === undefined ? {} : { description }
}

/** Withdraws all open requests at the end of the input. Nothing answers them any more. */
export function withdrawRequests(context: ClaudeContext): void {
  for (const request of context.memory.requests.values())
    if (request.status === 'pending') storeRequest({ ...request, status: 'complete' }, context)
}

import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import { isKnownRequest, type Request, storeRequest } from '../../kit/requests.ts'
import { callOf } from '../../kit/reused-ids.ts'
import { conversationOfAgent, findAgent } from '../agents/agent.ts'
import { linkAgent } from '../agents/register-agent.ts'
import { type CallRef, hasResult } from '../blocks/calls.ts'
import { blockOfCall } from '../blocks/model/message-blocks.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import { allowed, denied, withAnswer } from './answer.ts'
import {
  isCallOver,
  isInputOf,
  type KnownCall,
  knownCall,
  type RequestedCall,
  removeRequest,
  requestById,
  requestFacts,
  requestOfCall,
  withdrawRequest,
} from './known-requests.ts'

/** Translates a request of the program. All but the requests to use a tool hold nothing for a conversation. */
export function translateControlRequest(raw: JsonObject, context: ClaudeContext): void {
  const { subtype, tool_use_id, agent_id, ...request } = asObject(raw.request)
  const id = asString(raw.request_id)
  if (subtype !== 'can_use_tool' || id === undefined) return
  const agentId = asString(agent_id)
  const named = agentId === undefined ? MAIN : conversationOfAgent(context, agentId)
  const callId = asString(tool_use_id)
  const call = callId === undefined ? undefined : askingCall(callId, named, context)
  ask({ id, conversationId: named, toolUseId: undefined, ...call }, request, context)
}

/**
 * Returns the call that a request is about. The call shows who asks: not every request names its agent, and a named
 * agent may be unknown so far.
 */
function askingCall(callId: string, named: string, context: ClaudeContext): CallRef {
  const agents = context.state.openAgents().map(({ toolUseId }) => toolUseId)
  const refs = [named, MAIN, ...agents].map((conversationId) => ({
    conversationId,
    toolUseId: callOf(conversationId, callId, context),
  }))
  const waiting = refs.find(
    (ref) =>
      blockOfCall(ref.toolUseId, ref.conversationId, context) !== undefined && !hasResult(ref, context.state),
  )
  return waiting ?? { conversationId: named, toolUseId: callOf(named, callId, context) }
}

type RequestRef = Pick<Request, 'id' | 'conversationId'> & { readonly toolUseId: string | undefined }

function ask(ref: RequestRef, request: JsonObject, context: ClaudeContext): void {
  const {
    state: { facts },
  } = context
  const { id, conversationId, toolUseId = '' } = ref
  const call = knownCall({ conversationId, toolUseId }, context)
  const earlier = requestOfCall({ conversationId, toolUseId }, context)
  const known = requestById(id, context.state)
  const isKnown = known && isRepeated(known, context)
  context.notes.setEntry('askedIds', id, true)
  if (isKnown || isAnswered({ toolUseId, call, earlier }, context)) return
  if (known) removeRequest(known, context)
  withdrawRequest(earlier, context)
  if (conversationId === MAIN) context.turn.start()
  if (toolUseId !== '') context.notes.setEntry('requestIds', toolUseId, id)
  const { tool_name, display_name, description, input, ...others } = request
  const requested = { toolName: asString(tool_name) ?? 'tool', input: asObject(input) }
  const words = {
    displayName: asString(display_name),
    description: asString(description),
    cwd: facts.cwd,
  }
  const data = dataOf(others, requested, {
    isKnown: call !== undefined,
    // An agent's block has only some fields of the input, and the client's answer repeats all.
    hasInput: !call?.isAgent && isInputOf(call, requested.input),
  })
  const block = {
    type: 'request',
    status: 'pending',
    ...ref,
    ...requestFacts(requested, words),
    data,
  } as const
  storeRequest(omitUndefined(block), context)
}

/** Whether a known request comes again. A process that has begun since asks with ids of its own, and it waits. */
function isRepeated({ conversationId, id }: Request, context: ClaudeContext): boolean {
  const { hasInit, askedIds } = context.notes.values
  const isOfProcess = !hasInit || askedIds.get(id) === true || context.state.isOpen(conversationId, id)
  return isOfProcess && isKnownRequest(conversationId, id, context)
}

/** Moves a request that came before its call to the conversation of the call. Its agent has that agent's id. */
export function moveRequest({ conversationId, toolUseId }: CallRef, context: ClaudeContext): void {
  const id = context.notes.values.requestIds.get(toolUseId)
  const request = id === undefined ? undefined : requestById(id, context.state)
  if (!request) return
  const { conversationId: place } = request
  if (place === conversationId || blockOfCall(toolUseId, place, context)) return
  const isUnlinked = place !== MAIN && context.state.findAgent(place)?.parentConversationId === undefined
  const isItsAgent = conversationId !== MAIN && findAgent(conversationId, context)?.agentId === undefined
  if (isUnlinked && isItsAgent) linkAgent({ agentId: place, toolUseId: conversationId }, context)
  if (context.state.findBlock(conversationId, request.id)) return
  removeRequest(request, context)
  // If the request alone has shown that agent, no message may ever report its end.
  const isShownByRequest = isUnlinked && findAgent(place, context) === undefined
  if (isShownByRequest && context.state.blocksOf(place).length === 0)
    context.emit({ type: 'subagent:completed', toolUseId: place, status: 'error', cut: true })
  storeRequest({ ...request, conversationId }, context)
}

interface Asked {
  readonly toolUseId: string
  readonly call: KnownCall | undefined
  readonly earlier: Request | undefined
}

/** A stream that repeats its messages asks again for a call that has its result. An agent may run long after the answer. */
function isAnswered({ toolUseId, call, earlier }: Asked, memory: ClaudeMemory): boolean {
  if (!call) return isCallOver(toolUseId, memory)
  return call.isOver || (call.isAgent && earlier?.answer !== undefined)
}

/** Returns the further facts of a request. The call holds the input, unless the call is unknown or has another input. */
function dataOf(
  others: JsonObject,
  { toolName, input }: RequestedCall,
  call: { readonly isKnown: boolean; readonly hasInput: boolean },
): JsonObject | undefined {
  const isInCall = call.hasInput || Object.keys(input).length === 0
  const more = omitUndefined({
    tool_name: call.isKnown ? undefined : toolName,
    input: isInCall ? undefined : input,
  })
  const data = withChanges(others, more)
  return Object.keys(data).length === 0 ? undefined : data
}

/** Withdraws a request, for example because the person stopped the turn. */
export function translateControlCancel(raw: JsonObject, output: SessionOutput): void {
  withdrawRequest(requestById(asString(raw.request_id) ?? '', output.state), output)
}

/** Translates the client's answer to a request. It is there if somebody logs both directions of the stream. */
export function translateControlResponse(raw: JsonObject, context: ClaudeContext): void {
  const { request_id, response } = asObject(raw.response)
  const request = requestById(asString(request_id) ?? '', context.state)
  if (!request || !context.state.isOpen(request.conversationId, request.id)) return
  const { behavior, message, updatedInput, updatedPermissions } = asObject(response)
  if (behavior === 'deny')
    return storeRequest(withAnswer(request, denied(asString(message) || undefined)), context)
  if (behavior !== 'allow') return
  const answered = withAnswer(request, allowed(request, asObject(updatedInput)))
  const changes = omitUndefined({
    updatedInput: changedInput(asObject(updatedInput), request, context),
    updatedPermissions,
  })
  const data = Object.keys(changes).length === 0 ? request.data : withChanges(asObject(request.data), changes)
  storeRequest(omitUndefined(withChanges(answered, { data })), context)
}

/** Returns the input that the client put in the place of the call's input. The answers to questions are no change. */
function changedInput(updated: JsonObject, request: Request, memory: ClaudeMemory): JsonObject | undefined {
  const { conversationId, toolUseId = '', data } = request
  if (request.kind === 'question' || Object.keys(updated).length === 0) return undefined
  const call = knownCall({ conversationId, toolUseId }, memory)
  return isInputOf(call, updated) || isEqual(asObject(data).input, updated) ? undefined : updated
}

import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, isObject, isString, type JsonObject } from '../../core/json/values.ts'
import type { BlockOf } from '../../core/state/block.ts'
import type { RequestAnswer, RequestFacts, RequestOption } from '../../core/state/request.ts'
import { MAIN } from '../../core/state/session.ts'
import type { SessionOutput } from '../../reading/context.ts'
import { PersistentMap } from '../../reading/notes/persistent-map.ts'
import { chosenOption, type Decided, noAnswerTaken, type RequestReply } from '../kit/request-reply.ts'
import {
  completeRequest,
  isKnownRequest,
  permissionTitle,
  rpcBlockId,
  withdrawEarlier,
} from '../kit/requests.ts'
import { findCallAnywhere, hasEnded, metaNameOf } from './calls/call.ts'
import type { AcpContext, AcpMemory } from './context.ts'
import type { RpcCall } from './rpc.ts'

/** A request of the agent. Its response repeats the id as the agent sent it. */
interface AgentRequest {
  readonly requestId: string
  readonly sentId: string | number
  readonly method: string
  readonly params: JsonObject
}

/** Shows a request for a permission. */
export function showPermission(conversationId: string, request: AgentRequest, context: AcpContext): void {
  const { params } = request
  const toolCall = asObject(params.toolCall)
  const toolUseId = asString(toolCall.toolCallId)
  const own = context.reader.permission?.(toolCall)
  const name =
    findCallAnywhere(toolUseId, context)?.toolName ??
    own?.toolName ??
    metaNameOf(toolCall) ??
    asString(toolCall.name) ??
    'permission'
  const kind = own?.isQuestion ? 'question' : 'permission'
  const title = own?.isQuestion ? own.words : permissionTitle(name, own?.words ?? asString(toolCall.title))
  const options = asArray(params.options).flatMap((option) => readOption(asObject(option)))
  const facts: RequestFacts = omitUndefined({ kind, title, toolUseId, options })
  showRequest(conversationId, request, facts, context)
}

function readOption({ optionId, name, kind }: JsonObject): readonly RequestOption[] {
  const id = asString(optionId)
  return id === undefined ? [] : [{ id, label: asString(name) ?? asString(kind) ?? id }]
}

/** Shows a question of the agent, or of a server of tools. */
export function showElicitation(conversationId: string, request: AgentRequest, context: AcpContext): void {
  const { message, toolCallId } = request.params
  const facts: RequestFacts = omitUndefined({
    kind: 'permission',
    title: asString(message) ?? 'A question',
    toolUseId: asString(toolCallId),
    options: ANSWERS,
  })
  showRequest(conversationId, request, facts, context)
}

/** Shows a question of the program's own. */
export function showQuestion(
  conversationId: string,
  { id, sentId, method, params }: RpcCall,
  { title, options }: { readonly title: string; readonly options: readonly string[] },
  context: AcpContext,
): void {
  if (id === undefined || sentId === undefined) return
  const toolUseId = asString(params.toolCallId)
  const facts = {
    kind: 'question',
    title,
    toolUseId,
    options: options.map((label) => ({ id: label, label })),
  } as const
  const place = findCallAnywhere(toolUseId, context)?.conversationId ?? conversationId
  showRequest(place, { requestId: id, sentId, method, params }, omitUndefined(facts), context)
}

const ANSWERS: readonly RequestOption[] = [
  { id: 'accept', label: 'Answer' },
  { id: 'decline', label: 'Refuse' },
  { id: 'cancel', label: 'Cancel' },
]

function showRequest(
  conversationId: string,
  { requestId, sentId, method, params }: AgentRequest,
  facts: RequestFacts,
  context: AcpContext,
): void {
  // The block of the call has the facts of the call.
  const { toolCall: _, ...others } = params
  const data = { id: sentId, method, params: others }
  const { askedIds, endedCalls, isConnected, joints, requests } = context.notes.values
  const call = findCallAnywhere(facts.toolUseId, context)
  const hasEndedCall = call !== undefined && hasEnded(call, context)
  const isRepeated = !isConnected && (hasEndedCall || joints.get(conversationId)?.place !== undefined)
  const named = { conversationId, place: facts.toolUseId ?? conversationId, requestId, data }
  const { id, isFirst } = rpcBlockId(named, { askedIds, isRepeated }, context)
  // The call of another process may have the same id, and begins again.
  const isEndedHere = call && endedCalls.get(context.notes.keyOf(call.conversationId, call.id)) === true
  const isOfProcess = isConnected ? isEndedHere : isFirst || isRepeated
  const isOver = hasEndedCall && isOfProcess
  context.notes.setEntry('askedIds', id, true)
  const earlier = requests.get(requestId)
  if (isKnownRequest(conversationId, id, context) || earlier?.blockId === id) return
  if (earlier) withdrawEarlier(earlier.conversationId, earlier.blockId, context)
  const block = { type: 'request', id, conversationId, status: 'pending', ...facts, data } as const
  const hidden = { ...block, status: 'complete' } as const
  context.notes.setEntry('requests', requestId, { conversationId, blockId: id, ...(isOver && { hidden }) })
  if (isOver) return
  // An open request shows that the agent works, also after the end of a turn.
  if (conversationId === MAIN) context.turn.start()
  context.upsert(conversationId, block)
}

/** Withdraws the requests of the connection before. Their agent takes no answer any more, and the next one counts from 0 again. */
export function beginConnection(context: AcpContext): void {
  for (const { conversationId, blockId } of context.notes.values.requests.values())
    withdrawEarlier(conversationId, blockId, context)
  context.notes.remember({
    isConnected: true,
    requests: new PersistentMap(),
    askedIds: new PersistentMap(),
    endedCalls: new PersistentMap(),
  })
}

/** Whether the person has not answered the request with that JSON-RPC id. */
export function isOpenRequest(requestId: string, memory: AcpMemory): boolean {
  const place = memory.notes.values.requests.get(requestId)
  return place !== undefined && memory.state.isOpen(place.conversationId, place.blockId)
}

/** Shows the client's answer. A cancelled request has none. Returns whether the response belongs to a request. */
export function answerRequest(requestId: string, result: unknown, context: AcpContext): boolean {
  const place = context.notes.values.requests.get(requestId)
  if (!place) return false
  const { conversationId, blockId } = place
  const request = place.hidden ?? context.state.findBlock(conversationId, blockId)
  const { outcome, action } = asObject(result)
  const own = context.reader.answer?.(asObject(result))
  const chosen = asString(asObject(outcome).optionId) ?? asString(action) ?? own
  if (request?.type !== 'request' || request.answer !== undefined) return true
  const { denied: _, comment: _comment, ...open } = request
  const denied = isRefusal(chosen, request) ? true : undefined
  const answer = context.reader.permission && request.kind === 'question' ? labelOf(chosen, request) : chosen
  completeRequest(open, { answer, denied, comment: commentOf(result) }, context)
  if (place.hidden && answer !== undefined)
    context.notes.setEntry('requests', requestId, { conversationId, blockId })
  return true
}

/** Ends the requests of a conversation whose turn has ended, and the calls that wait for an allowance. No update reports their end. */
export function endRequestsOf(conversationId: string, output: SessionOutput): void {
  failDeniedCalls(conversationId, output)
  for (const block of output.state.pendingBlocks(conversationId))
    if (block.type === 'request') completeRequest(block, {}, output)
}

/** Fails the calls whose permission was denied, or was never answered. */
function failDeniedCalls(conversationId: string, output: SessionOutput): void {
  const calls = output.state.pendingBlocks(conversationId).filter((block) => block.type === 'tool_use')
  if (calls.length === 0) return
  const requests = output.state.blocksOf(conversationId).filter((block) => block.type === 'request')
  for (const call of calls) {
    const request = requests.findLast(({ kind, toolUseId }) => kind === 'permission' && toolUseId === call.id)
    if (request && (request.denied || request.answer === undefined))
      output.upsert(conversationId, { ...call, status: 'error' })
  }
}

/** The answer to a question has the label of the option. */
function labelOf(
  chosen: string | undefined,
  { options = [] }: BlockOf<'request'>,
): RequestAnswer | undefined {
  return chosen === undefined ? undefined : [[options.find(({ id }) => id === chosen)?.label ?? chosen]]
}

/** The names of options that refuse. The block has no kinds of options. */
function isRefusal(answer: string | undefined, { options = [] }: BlockOf<'request'>): boolean {
  if (answer === undefined) return false
  const label = options.find(({ id }) => id === answer)?.label ?? ''
  return (
    /^(?:reject|deny|decline|cancel|abort|no\b)/i.test(answer) || /^(?:reject|deny|no\b|skip$)/i.test(label)
  )
}

function commentOf(result: unknown): string | undefined {
  const { content } = asObject(result)
  return isObject(content) ? Object.values(content).filter(isString).join('\n') || undefined : undefined
}

/** Answers with the response to a JSON-RPC request of the agent. */
export function acpReply(decided: Decided): RequestReply {
  const { id, method, params } = asObject(decided.request.data)
  return {
    type: 'message',
    message: { jsonrpc: '2.0', id, result: resultOf(decided, method, asObject(params)) },
  }
}

function resultOf(decided: Decided, method: unknown, params: JsonObject): JsonObject {
  switch (method) {
    case 'session/request_permission':
      return { outcome: outcomeOf(decided, params) }
    case 'elicitation/create':
      return omitUndefined({ action: chosenOption(decided, 'decline'), content: decided.decision.content })
    default:
      throw noAnswerTaken(decided.request, `the method ${String(method)} is the program's own`)
  }
}

/** A refusal without an option that refuses is a cancelled request. */
function outcomeOf(decided: Decided, { options }: JsonObject): JsonObject {
  const refusals = asArray(options)
    .map(asObject)
    .filter(({ kind }) => asString(kind)?.startsWith('reject'))
  const refusal = asString(refusals[0]?.optionId)
  const { answer, denied } = decided.decision
  if (denied && answer === undefined && refusal === undefined) return { outcome: 'cancelled' }
  return { outcome: 'selected', optionId: chosenOption(decided, refusal) }
}

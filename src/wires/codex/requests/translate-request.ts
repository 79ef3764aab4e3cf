import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import {
  chosenLabels,
  chosenOption,
  type Decided,
  noAnswerTaken,
  type RequestReply,
} from '../../kit/request-reply.ts'
import { completeRequest, isKnownRequest, rpcBlockId, withdrawEarlier } from '../../kit/requests.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import { variantName } from '../items/item.ts'
import { isRefusal } from './read-request.ts'

/** Shows a request of the program to the person. A repeated request stays as it is. */
export function showRequest(
  threadId: string,
  { requestId, request, time }: CodexEventOf<'request'>,
  context: CodexContext,
): void {
  const { toolUseId, data } = request
  const conversationId = context.conversationOf(threadId)
  const { askedIds, endedTurns, requests, turns } = context.notes.values
  const turnId = turns.get(context.threadKey(threadId))
  // The turn of another process may have the same requests and calls, also with the same ids.
  const isOfNewTurn = isString(turnId) && turnId !== '' && endedTurns.get(turnId) === undefined
  const hasPlace = toolUseId !== undefined || isString(asObject(asObject(data).params).turnId)
  const isRepeated = hasPlace && !isOfNewTurn
  const named = { conversationId, place: toolUseId ?? threadId, requestId, data: asObject(data) }
  const { id, isFirst } = rpcBlockId(named, { askedIds, isRepeated }, context)
  context.notes.setEntry('askedIds', id, true)
  const earlier = requests.get(requestId)
  if (isKnownRequest(conversationId, id, context) || earlier?.blockId === id) return
  if (earlier) withdrawEarlier(context.conversationOf(earlier.threadId), earlier.blockId, context)
  const facts = { ...request, timestamp: time }
  const block = omitUndefined({ type: 'request', id, conversationId, status: 'pending', ...facts })
  const isOver = isFirst && !isOfNewTurn && context.isDone(threadId, toolResultBlockId(toolUseId ?? ''))
  const hidden = isOver ? block : undefined
  context.notes.setEntry('requests', requestId, omitUndefined({ threadId, blockId: id, hidden }))
  if (!isOver) context.showWork(threadId, block, time)
}

/** Shows the answer to a request. The program may only state that the request is over. */
export function answerRequest({ requestId, answer }: CodexEventOf<'answer'>, context: CodexContext): void {
  const request = findRequest(requestId, context)
  if (!request) return
  const { denied: _, ...open } = request
  if (answer !== undefined) context.notes.removeEntry('requests', requestId)
  completeRequest(open, { answer, denied: isRefusal(answer) ? true : undefined }, context)
}

/** A refused call shows the answer to its request, if the client's answer is not in the log. */
export function markRefused(callId: string, context: CodexContext): void {
  for (const [requestId, { threadId, blockId }] of context.notes.values.requests.entries()) {
    const request = findRequest(requestId, context)
    if (request?.toolUseId !== callId || request.denied) continue
    context.notes.setEntry('requests', requestId, { threadId, blockId })
    context.upsert(request.conversationId, withChanges(request, { status: 'complete', denied: true }))
  }
}

/** Returns the block of a request without an answer. */
function findRequest(requestId: string, memory: CodexMemory): BlockOf<'request'> | undefined {
  const note = memory.notes.values.requests.get(requestId)
  const block = note && (note.hidden ?? memory.blockOf(note.threadId, note.blockId))
  return block?.type === 'request' ? block : undefined
}

/** The results of the responses, by the method of the request. */
const RESULTS: Readonly<Record<string, (decided: Decided, params: JsonObject) => JsonObject>> = {
  execCommandApproval: decisionOf,
  applyPatchApproval: decisionOf,
  'item/commandExecution/requestApproval': decisionOf,
  'item/fileChange/requestApproval': decisionOf,
  'item/permissions/requestApproval': grantOf,
  'item/tool/requestUserInput': answersOf,
  'mcpServer/elicitation/request': formOf,
}

/** Answers with the response to a JSON-RPC request of the app-server, which has no field `jsonrpc`. */
export function codexReply(decided: Decided): RequestReply {
  const { id, method, params } = asObject(decided.request.data)
  const resultOf = isString(method) && Object.hasOwn(RESULTS, method) ? RESULTS[method] : undefined
  if (!resultOf) throw noAnswerTaken(decided.request, `the method ${String(method)} is unknown`)
  return { type: 'message', message: { id, result: resultOf(decided, asObject(params)) } }
}

/** A request may offer no option but to stop the turn. */
const REFUSALS: readonly string[] = ['decline', 'denied', 'cancel', 'abort']

function choiceOf(decided: Decided): string {
  const { options = [] } = decided.request
  return chosenOption(
    decided,
    REFUSALS.find((refusal) => options.some(({ id }) => id === refusal)),
  )
}

/** Some decisions are objects, whose only key is the id of the option. */
function decisionOf(decided: Decided, { availableDecisions }: JsonObject): JsonObject {
  const chosen = choiceOf(decided)
  return { decision: asArray(availableDecisions).find((each) => variantName(each) === chosen) ?? chosen }
}

function grantOf(decided: Decided, { permissions }: JsonObject): JsonObject {
  const chosen = choiceOf(decided)
  const isGranted = chosen === 'accept' || chosen === 'acceptForSession'
  return {
    permissions: isGranted ? permissions : {},
    scope: chosen === 'acceptForSession' ? 'session' : 'turn',
  }
}

/** The program has no refusal of a question. */
function answersOf(decided: Decided, { questions }: JsonObject): JsonObject {
  const labels = chosenLabels(decided)
  const ids = asArray(questions).map((question) => asString(asObject(question).id) ?? '')
  return { answers: Object.fromEntries(ids.map((id, at) => [id, { answers: labels[at] ?? [] }])) }
}

function formOf(decided: Decided): JsonObject {
  return omitUndefined({ action: choiceOf(decided), content: decided.decision.content })
}

import { omitUndefined } from '../../core/json/fields.ts'
import { asObject, asString, isString } from '../../core/json/values.ts'
import type { BlockOf, ConversationBlock } from '../../core/state/block.ts'
import type { RequestFacts, RequestOption } from '../../core/state/request.ts'
import { MAIN } from '../../core/state/session.ts'
import { copilot } from '../../programs/copilot/program.ts'
import type { SessionOutput } from '../../reading/context.ts'
import { chosenOption, type Decided, noAnswerTaken, type RequestReply } from '../kit/request-reply.ts'
import {
  type Answer,
  completeRequest,
  isKnownRequest,
  labelOptions,
  permissionTitle,
  questionFacts,
} from '../kit/requests.ts'
import { callOf } from '../kit/reused-ids.ts'
import type { Data } from './messages.ts'
import type { CopilotContext } from './notes.ts'
import { type EventPlace, isOfEndedTurn } from './turn.ts'

const ALLOW: RequestOption = { id: 'approve-once', label: 'Allow' }
const ALLOW_SESSION: RequestOption = { id: 'approve-for-session', label: 'Allow for this session' }
const REFUSE: RequestOption = { id: 'reject', label: 'Refuse' }

/** Shows a request for a permission. The options are those of `session.permissions.handlePendingPermissionRequest`. */
export function translatePermission(
  place: EventPlace,
  { requestId, permissionRequest: request }: Data<'permission.requested'>,
  context: CopilotContext,
): void {
  const { fullCommandText, fileName, path, url, toolName, intention, canOfferSessionApproval } = request
  const { toolCallId: callId } = request
  const subject = [fullCommandText, fileName, path, url, toolName, intention].find(isString)
  const facts = {
    kind: 'permission',
    title: permissionTitle(asString(request.kind) ?? 'permission', subject),
    toolUseId: isString(callId) ? callOf(place.conversationId, callId, context) : undefined,
    options: canOfferSessionApproval === false ? [ALLOW, REFUSE] : [ALLOW, ALLOW_SESSION, REFUSE],
    data: { requestId, permissionRequest: request },
  } as const
  showRequest(place, requestId, omitUndefined(facts), context)
}

/** Shows a question. */
export function translateQuestion(
  place: EventPlace,
  { requestId, question: text, choices, toolCallId: toolUseId }: Data<'user_input.requested'>,
  output: SessionOutput,
): void {
  const facts = questionFacts([{ text, options: labelOptions(choices) }], { fallbackTitle: 'A question' })
  showRequest(place, requestId, omitUndefined({ ...facts, toolUseId, data: { requestId } }), output)
}

/** Shows a request to the person. The file has no questions, so one of an earlier turn may come after its end. */
function showRequest(place: EventPlace, id: string, facts: RequestFacts, output: SessionOutput): void {
  const { event, conversationId } = place
  if (isKnownRequest(conversationId, id, output) || output.state.isAbandoned(id)) return
  const isOver =
    conversationId === MAIN ? isOfEndedTurn(place, output.state) : output.state.hasEnded(conversationId)
  const status = isOver ? ('complete' as const) : ('pending' as const)
  const block = { type: 'request', id, status, ...facts, timestamp: event.time } as const
  output.upsert(conversationId, block)
}

/** Shows the decision on a permission. */
export function translateDecision(
  place: EventPlace,
  { requestId, result: { kind, feedback, reason } }: Data<'permission.completed'>,
  output: SessionOutput,
): void {
  const decision = asString(kind) ?? ''
  if (decision.startsWith('denied')) {
    const comment = asString(feedback) ?? asString(reason)
    return answer(place, requestId, omitUndefined({ answer: REFUSE.id, denied: true, comment }), output)
  }
  const allowed = decision === 'approved' ? ALLOW.id : decision.replace(/^approved/, 'approve')
  answer(place, requestId, decision.startsWith('approved') ? { answer: allowed } : {}, output)
}

/** Shows the answer to a question. */
export function translateAnswer(
  place: EventPlace,
  { requestId, answer: words }: Data<'user_input.completed'>,
  output: SessionOutput,
): void {
  if (!output.state.findBlock(place.conversationId, requestId)) showMissedQuestion(place, requestId, output)
  answer(place, requestId, words === undefined ? {} : { answer: [[words]] }, output)
}

/** A reader that joins after a question finds it in the call that has asked. */
function showMissedQuestion(place: EventPlace, requestId: string, output: SessionOutput): void {
  const { event, conversationId } = place
  const isAsking = (block: ConversationBlock): block is BlockOf<'tool_use'> =>
    block.type === 'tool_use' && copilot.tools.question?.includes(block.toolName) === true
  const calls = output.state.blocksOf(conversationId).filter(isAsking)
  const call = calls.findLast(({ timestamp = '' }) => event.time !== undefined && timestamp <= event.time)
  if (!call) return
  const { question, choices } = asObject(call.input)
  const asked = { requestId, question: asString(question) ?? '', choices, toolCallId: call.toolUseId }
  translateQuestion(place, asked, output)
}

/** Completes a request. Without an answer, the program has withdrawn it. */
function answer({ conversationId }: EventPlace, id: string, facts: Answer, output: SessionOutput): void {
  const request = output.state.findBlock(conversationId, id)
  if (request?.type === 'request' && request.answer === undefined) completeRequest(request, facts, output)
}

const REJECT = 'reject'

/** Answers a permission with a call over the connection of the SDK. A question is a request of the connection, whose id no event names. */
export function copilotReply(decided: Decided): RequestReply {
  const { request, decision, state } = decided
  const { requestId, permissionRequest } = asObject(request.data)
  if (permissionRequest === undefined)
    throw noAnswerTaken(request, 'answer the request of the connection that asks the question')
  const kind = chosenOption(decided, REJECT)
  const feedback = kind === REJECT ? decision.comment : undefined
  const result = omitUndefined({ kind, feedback })
  const params = omitUndefined({ sessionId: state.session.id, requestId, result })
  return { type: 'call', method: 'session.permissions.handlePendingPermissionRequest', params }
}

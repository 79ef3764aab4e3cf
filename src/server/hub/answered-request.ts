import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import type { JsonObject } from '../../core/json/values.ts'
import { findSubagent } from '../../core/selectors/find.ts'
import { findRequest } from '../../core/selectors/requests.ts'
import type { BlockOf, ConversationBlock } from '../../core/state/block.ts'
import { isRefusal, type RequestAnswer } from '../../core/state/request.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { programOf } from '../../programs/all.ts'
import { answerRequest } from '../../wires/answer-request.ts'
import {
  chosenLabels,
  chosenOption,
  type Decided,
  type PersonDecision,
  RequestError,
  type RequestReply,
} from '../../wires/kit/request-reply.ts'
import { HubError, noSuchRequest } from './hub-error.ts'

/** The answer for a program that this library does not know. The program decides what to do with it. */
export interface OwnReply extends PersonDecision {
  readonly type: 'answer'
  readonly requestId: string
  /** `'main'` or the `toolUseId` of the agent that asked. */
  readonly conversationId: string
}

/**
 * The answer as the program must be sent it:
 * - a message of the program's own: write it as one line of JSON
 * - `type: 'http'` or `type: 'call'`: as `answerRequest` returns it
 * - `type: 'answer'`: the answer for your own program
 */
export type HubReply = JsonObject | Extract<RequestReply, { readonly type: 'http' | 'call' }> | OwnReply

/** An answer that the session takes. */
interface AnsweredRequest {
  /** Publishes the answered block. */
  readonly events: readonly [EventOf<'block:upsert'>]
  readonly reply: HubReply
}

/** Returns the event and the reply of an answer. Throws a `HubError` if the request takes none. */
export function answeredRequest(
  state: SessionConversationState,
  requestId: string,
  answer: PersonAnswer,
): AnsweredRequest {
  const request = openRequest(state, requestId)
  const decision = isDecision(answer) ? answer : { answer }
  if (request.kind === 'permission' && Array.isArray(decision.answer))
    throw new HubError('wrong-answer', 'A permission has no questions: pass the id of an option.')
  const decided = { request, state, decision }
  try {
    const reply = replyTo(decided)
    return {
      events: [{ type: 'block:upsert', ...eventPlace(request), block: answeredBlock(decided) }],
      reply,
    }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    if (error.code === 'unknown-request') throw noSuchRequest()
    throw new HubError(error.code, error.message.replace(`${requestId}: `, ''))
  }
}

/** Returns the reply of an answer that another hub has published, or undefined if the event is none. */
export function replyOfAnswer(
  state: SessionConversationState,
  { block, conversationId = MAIN }: EventOf<'block:upsert'>,
): HubReply | undefined {
  if (block.type !== 'request' || block.status === 'pending') return undefined
  if (block.answer === undefined && !block.denied) return undefined
  const decision = omitUndefined({
    answer: block.answer,
    denied: block.denied ? (true as const) : undefined,
    comment: block.comment,
  })
  return answeredRequest(reopened(state, { requestId: block.id, conversationId }), block.id, decision).reply
}

/**
 * Returns the events that open a request again whose answer did not reach the program. The request is asked anew, as the
 * last block, because no pending block replaces a final one. Returns none if the program has gone on with the answer.
 * If the process that asked has ended, they withdraw the request: nobody has got an answer. If the answer was not sent,
 * nothing that follows shows that the program has gone on with it.
 */
export function reopeningEvents(
  state: SessionConversationState,
  { block: answered, conversationId = MAIN }: EventOf<'block:upsert'>,
  { hasEnded = false, wasSent = true }: { readonly hasEnded?: boolean; readonly wasSent?: boolean } = {},
): readonly SessionEvent[] {
  const isInPlace = (request: BlockOf<'request'>) => request.conversationId === conversationId
  // A request that came before its call moves to the conversation of the call.
  const block = findRequest(state, answered.id, isInPlace) ?? findRequest(state, answered.id)
  if (!block || answered.type !== 'request' || !hasSameAnswer(block, answered)) return []
  if (hasEnded && !wasSent) return [withdrawal(block)]
  const agent = findSubagent(state, block.conversationId)
  const { blocks, status } = agent ?? { blocks: state.blocks, status: state.turn.status }
  if (blocks.some((each) => each.type === 'tool_result' && each.toolUseId === block.toolUseId)) return []
  // Without a call, only later blocks show it. Other requests and prompts do not wait for this one.
  const later = blocks.slice(blocks.indexOf(block) + 1)
  if (
    block.toolUseId === undefined &&
    later.some(({ type }) => type !== 'request' && type !== 'user_message')
  )
    return []
  if (hasEnded) return [withdrawal(block)]
  if (status !== 'running') return []
  const place = eventPlace(block)
  return [
    { type: 'block:removed', ...place, blockId: block.id },
    { type: 'block:upsert', ...place, block: openAgain(block) },
  ]
}

/** Whether the request shows that answer. The program's own form of a refusal may have other words, or no answer. */
function hasSameAnswer(
  shown: BlockOf<'request'>,
  given: Omit<BlockOf<'request'>, 'conversationId'>,
): boolean {
  const [own, others] = [shown, given].map((each) => openAgain({ ...each, conversationId: '' }))
  const isRefused = [shown, given].every(({ answer, denied }) => denied === true || answer === undefined)
  return isEqual(own, others) && (isRefused || isEqual(shown.answer, given.answer))
}

/**
 * Returns the event that withdraws a request whose process has ended. Without its data, no request of a later process is
 * taken for its repetition.
 */
export function withdrawal(block: BlockOf<'request'>): EventOf<'block:upsert'> {
  const { data: _, ...withdrawn } = openAgain(block)
  return { type: 'block:upsert', ...eventPlace(block), block: { ...withdrawn, status: 'complete' } }
}

/** Whether the events are answers to requests, and what opens them again. Hubs that share a log answer sessions that one of them writes. */
export function areAnswers(events: readonly SessionEvent[]): boolean {
  return events.every((event, at) => {
    const [before, next] = [events[at - 1], events[at + 1]]
    if (event.type === 'block:removed') return isRequestEvent(next) && next.block.id === event.blockId
    if (!isRequestEvent(event)) return false
    return event.block.status !== 'pending' || before?.type === 'block:removed'
  })
}

function isRequestEvent(event: SessionEvent | undefined): event is EventOf<'block:upsert'> {
  return event?.type === 'block:upsert' && event.block.type === 'request'
}

function openRequest(state: SessionConversationState, requestId: string): BlockOf<'request'> {
  const request = findRequest(state, requestId)
  if (!request) throw noSuchRequest()
  if (request.status !== 'pending')
    throw new HubError('not-pending', 'Somebody else has answered, or the program has withdrawn the request.')
  return request
}

function isDecision(answer: PersonAnswer): answer is PersonDecision {
  return typeof answer === 'object' && !Array.isArray(answer)
}

function replyTo(decided: Decided): HubReply {
  const { request, state, decision } = decided
  const { program, protocol } = state.session
  if (!programOf(protocol ?? program)) return ownReply(decided)
  const reply = answerRequest(state, request.id, decision)
  return reply.type === 'message' ? reply.message : reply
}

/** A program that this library does not know. Its answers are checked against its own options. */
function ownReply(decided: Decided): OwnReply {
  const { request, decision } = decided
  return {
    type: 'answer',
    requestId: request.id,
    conversationId: request.conversationId,
    ...decision,
    ...answerOf(decided),
  }
}

function answeredBlock(decided: Decided): BlockOf<'request'> {
  const { request, decision } = decided
  const { comment } = decision
  const chosen = answerOf(decided)
  const isDenied = decision.denied === true || isRefusal(request, chosen.answer)
  return omitUndefined({
    ...request,
    status: 'complete' as const,
    ...chosen,
    denied: isDenied ? true : undefined,
    comment,
  })
}

/** Returns the answer in the form of a block. A refusal may have none. */
function answerOf(decided: Decided): { readonly answer?: RequestAnswer } {
  const { request, decision } = decided
  const refusal = request.options?.find(({ id }) => isRefusal(request, id))?.id
  if (decision.denied && decision.answer === undefined) return omitUndefined({ answer: refusal })
  if (request.kind === 'permission') return { answer: chosenOption(decided, refusal) }
  return { answer: chosenLabels(decided) }
}

function eventPlace({ conversationId }: BlockOf<'request'>): { readonly conversationId?: string } {
  return conversationId === MAIN ? {} : { conversationId }
}

function openAgain(block: BlockOf<'request'>): BlockOf<'request'> {
  const { answer: _answer, denied: _denied, comment: _comment, ...open } = block
  return { ...open, status: 'pending' }
}

/** Returns the state before the answer, in which no other conversation waits with that id. */
function reopened(
  state: SessionConversationState,
  { requestId, conversationId }: { readonly requestId: string; readonly conversationId: string },
): SessionConversationState {
  const reopen = (block: ConversationBlock): ConversationBlock => {
    if (block.type !== 'request' || block.id !== requestId) return block
    return block.conversationId === conversationId ? openAgain(block) : { ...block, status: 'complete' }
  }
  return {
    ...state,
    blocks: state.blocks.map(reopen),
    subagents: state.subagents.map((agent) => ({ ...agent, blocks: agent.blocks.map(reopen) })),
  }
}

/** The answer of a person: the id of an option, the chosen labels of each question, or a decision. */
export type PersonAnswer = RequestAnswer | PersonDecision

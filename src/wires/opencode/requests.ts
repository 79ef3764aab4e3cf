import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { isoTime } from '../../core/json/iso-time.ts'
import { compositeKey } from '../../core/json/lists.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import type { RequestFacts, RequestOption, RequestQuestion } from '../../core/state/request.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import { hasResult } from '../kit/blocks.ts'
import { chosenLabels, chosenOption, type Decided, type RequestReply } from '../kit/request-reply.ts'
import {
  type Answer,
  completeRequest,
  isKnownRequest,
  labelOptions,
  permissionTitle,
  questionFacts,
  type Request,
  tracedRequest,
} from '../kit/requests.ts'
import type { OpencodeContext } from './context.ts'
import type { BusEvent } from './event.ts'
import { findMessage, isRemoved, messageNote, noteMessage } from './messages.ts'
import type { EventPlace, MessageRef } from './place.ts'
import { continueTurn, isOfEarlierTurn } from './turn.ts'

/** Shows a request for a permission, or questions. The block is pending until the answer arrives. */
export function translateRequest(
  place: EventPlace,
  { type, properties }: BusEvent,
  context: OpencodeContext,
): void {
  const { sessionId, conversationId } = place
  const id = asString(properties.id)
  if (id === undefined || isKnownRequest(conversationId, id, context)) return
  const call = askedCall(place, properties, context.notes.values)
  if (isCallOver(place, call, context)) return
  const { messageId, toolUseId } = call
  const timestamp = isoTime(asObject(properties.time).created)
  const facts = askedFacts(type, properties)
  continueTurn(omitUndefined({ sessionId, conversationId, messageId }), context)
  context.upsert(conversationId, { type: 'request', id, status: 'pending', ...facts, toolUseId, timestamp })
}

/** Completes a request with the person's answer. If the request was missed, its call shows what matters. */
export function translateReply(
  { conversationId }: EventPlace,
  { type, properties }: BusEvent,
  output: SessionOutput,
): void {
  const id = asString(properties.requestID) ?? asString(properties.permissionID) ?? ''
  const request = output.state.findBlock(conversationId, id)
  if (request?.type === 'request') completeRequest(request, resultOf(type, properties), output)
}

/** The call that a request holds up. */
interface AskedCall {
  readonly messageId: string | undefined
  readonly toolUseId: string | undefined
}

/** Returns the call that a request names. Versions before 1.1 name it outside of `tool`. */
function askedCall(
  { sessionId }: EventPlace,
  { tool, messageID, callID }: JsonObject,
  notes: OpencodeContext['notes']['values'],
): AskedCall {
  const messageId = asString(asObject(tool).messageID) ?? asString(messageID)
  const callId = asString(asObject(tool).callID) ?? asString(callID)
  const owner = notes.callParts.get(compositeKey(sessionId, messageId ?? '', callId ?? ''))
  return { messageId, toolUseId: owner ?? callId }
}

/** Whether the call has ended, or was removed: an event that asks for it is a repeated one. */
function isCallOver(
  { sessionId, conversationId }: EventPlace,
  { messageId, toolUseId = '' }: AskedCall,
  memory: Memory<OpencodeContext>,
): boolean {
  if (messageId === undefined) return false
  const ref = { sessionId, conversationId, messageId }
  if (isOfEarlierTurn(ref, memory.notes.values) || isRemoved(sessionId, messageId, memory)) return true
  if (findMessage(ref, memory)?.isComplete || hasResult(conversationId, toolUseId, memory.state)) return true
  // An agent has a session as soon as its call may run.
  return memory.state.agentOfCall(toolUseId)?.agentId !== undefined
}

/**
 * Completes the request of a call that has ended: with the answer that the call shows, or without one. If no event
 * showed the request, as in an export, the call's trace becomes the request.
 */
export function resolveRequests(
  ref: MessageRef,
  part: JsonObject,
  toolUseId: string,
  context: OpencodeContext,
): void {
  const { conversationId } = ref
  const trace = requestTrace(part)
  if (trace?.result.denied && trace.result.comment === undefined) noteRefusal(ref, context)
  const requests = context.state.requestsOfCall(conversationId, toolUseId)
  const isOpen = ({ id }: Request) => context.state.isOpen(conversationId, id)
  const last = requests.findLast(isOpen) ?? (trace && requests.at(-1))
  const isTraced = trace !== undefined && last !== undefined && isTraceOf(trace, last)
  if (last && (isTraced || isOpen(last))) completeRequest(last, isTraced ? trace.result : {}, context)
  if (!trace || isTraced) return
  const { facts, result } = trace
  context.upsert(conversationId, tracedRequest({ ...facts, toolUseId, ...result }))
}

function noteRefusal(ref: MessageRef, memory: Memory<OpencodeContext>): void {
  const note = messageNote(ref, memory.notes)
  if (note?.isOpen || note?.isUnreported) noteMessage(ref, { isRefused: true }, memory)
}

/** A call may ask for several permissions, one after the other. An answer that differs belongs to a later one, which was missed. */
function isTraceOf({ facts, result }: RequestTrace, request: Request): boolean {
  if (facts.kind !== request.kind) return false
  const { answer } = request
  return answer === undefined || result.answer === undefined || isEqual(answer, result.answer)
}

/** Reads the properties of an event that asks for a permission, or asks questions. */
function askedFacts(type: string, properties: JsonObject): RequestFacts {
  return type.startsWith('question') ? askedQuestions(properties) : askedPermission(properties)
}

/** The answers that OpenCode takes: `POST /permission/:id/reply`. */
const ANSWERS: readonly RequestOption[] = [
  { id: 'once', label: 'Allow once' },
  { id: 'always', label: 'Always allow' },
  { id: 'reject', label: 'Reject' },
]

/** Versions before 1.1 name the permission `type`, and bring a title. */
function askedPermission(properties: JsonObject): RequestFacts {
  const { permission, type, title, patterns, pattern, always, metadata } = properties
  const name = asString(permission) ?? asString(type) ?? 'permission'
  const strings = asArray(patterns ?? (typeof pattern === 'string' ? [pattern] : pattern)).filter(isString)
  const target = targetOf(asObject(metadata)) ?? (strings.length > 0 ? strings.join(', ') : undefined)
  return {
    kind: 'permission',
    title: asString(title) ?? permissionTitle(name, target),
    options: ANSWERS,
    data: omitUndefined({ patterns: patterns ?? pattern, always, metadata }),
  }
}

/** Reads the questions of an event, or of a call of the tool `question`. */
function askedQuestions({ questions }: JsonObject): RequestFacts {
  return questionFacts(asArray(questions).flatMap(readQuestion), { fallbackTitle: 'question' })
}

function readQuestion(value: unknown): readonly RequestQuestion[] {
  const { question, options, multiple } = asObject(value)
  const text = asString(question)
  if (text === undefined) return []
  const isMultiple = multiple === true ? true : undefined
  return [omitUndefined({ text, options: labelOptions(options), multiple: isMultiple })]
}

/** The answer of a person who refused. */
const REJECTED: Answer = { answer: 'reject', denied: true }

/** Reads the properties of an event that answers a request. */
function resultOf(type: string, { reply, response, answers }: JsonObject): Answer {
  if (type === 'question.replied') return { answer: readAnswers(answers) }
  const answer = type === 'question.rejected' ? 'reject' : (asString(reply) ?? asString(response))
  if (answer === undefined) return {}
  return answer === 'reject' ? REJECTED : { answer }
}

/** Reads the labels that the person chose, for each question. */
function readAnswers(answers: unknown): readonly (readonly string[])[] {
  return asArray(answers).map((labels) => asArray(labels).flatMap((label) => asString(label) ?? []))
}

/** The trace of a request in the call that made it. */
interface RequestTrace {
  readonly facts: RequestFacts
  readonly result: Answer
}

const REJECTION = 'The user rejected permission to use this specific tool call'
const FEEDBACK = 'with the following feedback: '
const DISMISSAL = 'The user dismissed this question'
/** Versions before 1.18 put the name of the error before its words. */
const ERROR_NAME = /^\w*Error: /

/** Returns what a call that has ended shows of its request. A permission that the person gave leaves no trace. */
function requestTrace(part: JsonObject): RequestTrace | undefined {
  const { status, input, error, metadata } = asObject(part.state)
  const message = status === 'error' ? (asString(error) ?? '').replace(ERROR_NAME, '') : ''
  if (message.startsWith(REJECTION)) return { facts: permissionOfCall(part), result: rejection(message) }
  if (part.tool !== 'question' || !Array.isArray(asObject(input).questions)) return undefined
  const facts = askedQuestions(asObject(input))
  if (status === 'completed') return { facts, result: { answer: readAnswers(asObject(metadata).answers) } }
  return { facts, result: message.startsWith(DISMISSAL) ? REJECTED : {} }
}

function rejection(message: string): Answer {
  const at = message.indexOf(FEEDBACK)
  return omitUndefined({ ...REJECTED, comment: at < 0 ? undefined : message.slice(at + FEEDBACK.length) })
}

/** Returns the permission that a call asked for, as far as the call itself shows it. */
function permissionOfCall({ tool, state }: JsonObject): RequestFacts {
  const name = asString(tool) ?? 'permission'
  const title = permissionTitle(
    EDIT_TOOLS.has(name) ? 'edit' : name,
    targetOf(asObject(asObject(state).input)),
  )
  return { kind: 'permission', title, options: ANSWERS }
}

/** The tools that ask for the permission `edit`. */
const EDIT_TOOLS: ReadonlySet<string> = new Set(['edit', 'write', 'patch', 'apply_patch', 'multiedit'])

/** Returns what a call is about, such as the command. Inputs and the metadata of permissions use the same names. */
function targetOf({ command, filepath, filePath, url, description }: JsonObject): string | undefined {
  return [command, filepath, filePath, url, description].find(isString)
}

const REJECT = 'reject'

/** Answers at the server of the program. */
export function opencodeReply(decided: Decided): RequestReply {
  const { request, decision } = decided
  const id = encodeURIComponent(request.id)
  if (request.kind === 'question') {
    if (decision.denied) return post(`/question/${id}/reject`, {})
    return post(`/question/${id}/reply`, { answers: chosenLabels(decided) })
  }
  const reply = chosenOption(decided, REJECT)
  const message = reply === REJECT ? decision.comment : undefined
  return post(`/permission/${id}/reply`, omitUndefined({ reply, message }))
}

function post(path: string, body: object): RequestReply {
  return { type: 'http', method: 'POST', path, body: { ...body } }
}

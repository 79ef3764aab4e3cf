import { omitUndefined } from '../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import { findBlock } from '../../core/selectors/find.ts'
import type { BlockOf } from '../../core/state/block.ts'
import type { RequestFacts, RequestOption, RequestQuestion } from '../../core/state/request.ts'
import { MAIN } from '../../core/state/session.ts'
import { qwen } from '../../programs/qwen/program.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { controlReply, type Decided, type RequestReply } from '../kit/request-reply.ts'
import {
  completeRequest,
  isKnownRequest,
  labelsOfAnswers,
  permissionTitle,
  questionFacts,
  readQuestions,
  tracedRequest,
} from '../kit/requests.ts'
import type { CallResult, LiveLine } from './messages.ts'

type LineOf<Type extends LiveLine['type']> = Extract<LiveLine, { readonly type: Type }>

/** Shows a request to the person. */
export function showRequest({ id, request }: LineOf<'request'>, output: SessionOutput): void {
  const { tool_name, tool_use_id, input, permission_suggestions } = request
  const toolUseId = asString(tool_use_id)
  const conversationId = (toolUseId && output.state.conversationOfCall(toolUseId)) || MAIN
  const call = toolUseId === undefined ? undefined : output.state.findBlock(conversationId, toolUseId)
  if (isKnownRequest(conversationId, id, output) || (call && !output.state.isOpen(conversationId, call.id)))
    return
  if (conversationId === MAIN) output.turn.start()
  const facts = factsOf(asString(tool_name) ?? '', asObject(input), optionsIn(permission_suggestions))
  output.upsert(conversationId, { type: 'request', id, status: 'pending', ...facts, toolUseId })
}

function factsOf(toolName: string, input: JsonObject, options?: readonly RequestOption[]): RequestFacts {
  if (qwen.tools.question?.includes(toolName)) return questionIn(input)
  const { command, path } = qwen.fields
  const subject = [...command, ...path].map((field) => asString(input[field])).find(Boolean)
  return omitUndefined({ kind: 'permission', title: permissionTitle(toolName, subject), options })
}

function questionIn(input: JsonObject): RequestFacts {
  return questionFacts(readQuestions(input.questions), { fallbackTitle: 'A question' })
}

const ALLOW = 'allow'
const DENY = 'deny'

/** The client answers with the type of an option. */
function optionsIn(suggestions: unknown): readonly RequestOption[] | undefined {
  const options = asArray(suggestions).flatMap((value): readonly RequestOption[] => {
    const { type, label, description } = asObject(value)
    if (!isString(type) || !isString(label)) return []
    return [omitUndefined({ id: type, label, description: asString(description) })]
  })
  return options.length === 0 ? undefined : options
}

/** Completes a request with the answer of the client. */
export function answerRequest({ id, answer }: LineOf<'answer'>, output: SessionOutput): void {
  const conversationId = output.state.conversationOfBlock(id)
  const request = conversationId === undefined ? undefined : output.state.findBlock(conversationId, id)
  if (conversationId === undefined || request?.type !== 'request' || !output.state.isOpen(conversationId, id))
    return
  const { behavior, allowed, message, updatedInput } = answer
  const isAllowed = behavior === ALLOW || allowed === true
  const comment = isAllowed ? undefined : asString(message)
  const chosen = isAllowed ? answerIn(request, asObject(updatedInput)) : DENY
  const denied = isAllowed ? undefined : true
  completeRequest(request, { answer: chosen, denied, comment }, output)
}

/** The answers are by the words of the question, or by its number. */
function answerIn({ kind, questions }: BlockOf<'request'>, input: JsonObject): RequestFacts['answer'] {
  if (kind === 'permission') return ALLOW
  const answers = asObject(input.answers)
  return labelsOfAnswers(questions, ({ text }, at) => answers[text] ?? answers[String(at)])
}

/** Completes the request of a call that has its result: the terminal may not report the answer. */
export function closeRequest(
  conversationId: string,
  toolUseId: string,
  isDenied: boolean,
  output: SessionOutput,
): void {
  const open = output.state
    .requestsOfCall(conversationId, toolUseId)
    .find(({ id }) => output.state.isOpen(conversationId, id))
  if (!open) return
  const answer = open.kind === 'permission' ? (isDenied ? DENY : ALLOW) : undefined
  completeRequest(open, { answer, denied: isDenied || undefined }, output)
}

type ToolUse = BlockOf<'tool_use'>

/** Shows a question that only the result of its call shows. */
export function showQuestion(
  conversationId: string,
  { toolUseId, input }: ToolUse,
  { record, isError, time: timestamp }: CallResult,
  output: SessionOutput,
): void {
  if (hasRequest(conversationId, toolUseId, output.state)) return
  const facts = questionIn(asObject(input))
  const answers = asArray(record.answers).map((value) => asObject(value))
  const answerTo = ({ text }: RequestQuestion) => answers.find(({ question }) => question === text)?.answer
  const end = isError ? { denied: true } : { answer: labelsOfAnswers(facts.questions, answerTo) }
  output.upsert(conversationId, tracedRequest({ ...facts, ...end, toolUseId, timestamp }))
}

/** Shows a permission that only the program's record of the call shows. */
export function showDecision(
  toolUseId: string,
  { isAllowed, time: timestamp }: { readonly isAllowed: boolean; readonly time: string | undefined },
  output: SessionOutput,
): void {
  const conversationId = output.state.conversationOfCall(toolUseId) ?? MAIN
  const call = output.state.findBlock(conversationId, toolUseId)
  if (call?.type !== 'tool_use' || hasRequest(conversationId, toolUseId, output.state)) return
  const facts = factsOf(call.toolName, asObject(call.input))
  if (facts.kind === 'question') return
  const answer = isAllowed ? { answer: ALLOW } : { answer: DENY, denied: true }
  output.upsert(conversationId, tracedRequest({ ...facts, ...answer, toolUseId, timestamp }))
}

/** A request is behind its call, and nothing but results and other requests between them. */
function hasRequest(conversationId: string, toolUseId: string, state: SessionLookups): boolean {
  const blocks = state.blocksOf(conversationId)
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at]
    if (block?.type === 'request' && block.toolUseId === toolUseId) return true
    if (block?.id === toolUseId) return false
  }
  return false
}

/** Without an input in the answer, the call runs with its own. */
export function qwenReply(decided: Decided): RequestReply {
  return controlReply(decided, ({ request: { kind, conversationId, toolUseId = '' }, state }) => {
    if (kind === 'permission') return undefined
    const call = findBlock(state, conversationId, toolUseId)
    return call?.type === 'tool_use' ? asObject(call.input) : {}
  })
}

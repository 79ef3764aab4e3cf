import { isEqual } from '../../core/json/equal.ts'
import { type AllowUndefined, omitUndefined, withChanges } from '../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import { type BlockOf, requestBlockId } from '../../core/state/block.ts'
import type { RequestAnswer, RequestFacts, RequestOption, RequestQuestion } from '../../core/state/request.ts'
import type { SessionOutput } from '../../reading/context.ts'

/** A request as the state has it. */
export type Request = BlockOf<'request'>

/** The answer to a request. The program has withdrawn a request without one. */
export type Answer = Pick<RequestFacts, 'answer' | 'denied' | 'comment'>

/**
 * Whether the session has the request. If only the end of an input has withdrawn it, the program asks again and waits, so
 * the conversation goes on.
 */
export function isKnownRequest(conversationId: string, id: string, output: SessionOutput): boolean {
  if (output.state.isOpen(conversationId, id)) output.continueConversation(conversationId)
  return output.state.findBlock(conversationId, id) !== undefined
}

/** Adds a request, or replaces the known one. One that is over and stays the same adds nothing. */
export function storeRequest(request: Request, output: SessionOutput): void {
  const { conversationId, id } = request
  if (
    output.state.isOpen(conversationId, id) ||
    !isEqual(output.state.findBlock(conversationId, id), request)
  )
    output.upsert(conversationId, request)
}

/** Completes a request with its answer. One that is over is not withdrawn once more. */
export function completeRequest(
  request: Request,
  answer: AllowUndefined<Answer>,
  output: SessionOutput,
): void {
  if (answer.answer === undefined && !output.state.isOpen(request.conversationId, request.id)) return
  storeRequest(withChanges(request, { status: 'complete', ...omitUndefined(answer) }), output)
}

/** Withdraws the open request whose id another one has now: no process gives an id twice, so the first one has ended. */
export function withdrawEarlier(conversationId: string, blockId: string, output: SessionOutput): void {
  const earlier = output.state.findBlock(conversationId, blockId)
  if (earlier?.type === 'request') completeRequest(earlier, {}, output)
}

/** Withdraws the open requests of a call, for example because the call has ended. */
export function withdrawRequests(conversationId: string, toolUseId: string, output: SessionOutput): void {
  for (const request of output.state.requestsOfCall(conversationId, toolUseId))
    completeRequest(request, {}, output)
}

/** The facts of a request that nothing but its call shows. */
interface TracedRequest extends AllowUndefined<RequestFacts> {
  readonly toolUseId: string
  readonly timestamp?: string | undefined
}

/** Returns the block of such a request. It is over. */
export function tracedRequest<const Facts extends TracedRequest>(facts: Facts) {
  return { type: 'request', id: requestBlockId(facts.toolUseId), status: 'complete', ...facts } as const
}

/** Returns the title of a permission: the name of the tool or permission, and its subject, such as a path. */
export function permissionTitle(name: string, subject: string | undefined): string {
  return subject === undefined ? name : `${name}: ${subject}`
}

/** Returns the facts of a request with these questions. Without any question, the fallback is the title. */
export function questionFacts(
  questions: readonly RequestQuestion[],
  { fallbackTitle }: { readonly fallbackTitle: string },
): RequestFacts {
  const [first, ...others] = questions
  const options = others.length === 0 ? first?.options : undefined
  return omitUndefined({ kind: 'question', title: first?.text ?? fallbackTitle, options, questions })
}

/** Reads the questions of a call as most programs write them. */
export function readQuestions(questions: unknown): readonly RequestQuestion[] {
  return asArray(questions).map((each) => {
    const { question, options, multiSelect, multi_select } = asObject(each)
    const multiple = multiSelect === true || multi_select === true || undefined
    return omitUndefined({ text: asString(question) ?? '', options: labelOptions(options), multiple })
  })
}

/** Returns the labels that the person chose, for each question. Undefined if there are none. A program's answer is one label, or a list. */
export function labelsOfAnswers(
  questions: readonly RequestQuestion[] = [],
  answerTo: (question: RequestQuestion, index: number) => unknown,
): RequestAnswer | undefined {
  const labels = questions.map((question, index) => {
    const answer = answerTo(question, index)
    return isString(answer) ? [answer] : asArray(answer).filter(isString)
  })
  return labels.some((each) => each.length > 0) ? labels : undefined
}

/**
 * Reads the options of a question, which some programs write as labels alone. An option without a label is left out.
 * Programs take the label as the answer.
 */
export function labelOptions(options: unknown): readonly RequestOption[] {
  return asArray(options).flatMap((option) => {
    const { label = option, description } = asObject(option)
    return isString(label) ? [omitUndefined({ id: label, label, description: asString(description) })] : []
  })
}

/** Returns the id of a JSON-RPC message as a text. Such ids are numbers or texts. */
export function rpcIdOf(id: unknown): string | undefined {
  return typeof id === 'number' ? String(id) : asString(id)
}

const SEPARATOR = ':request:'

/** A request of JSON-RPC. The call or conversation in the id of its block tells requests with one id apart. */
interface RpcRequest {
  readonly conversationId: string
  readonly place: string
  readonly requestId: string
  readonly data: JsonObject
}

/** The notes that tell a request that comes again from one of another process, by the ids of blocks. */
interface AskedRequests {
  readonly askedIds: { get(blockId: string): true | undefined }
  /** Whether the same data mean the same request, although only the state has it. */
  readonly isRepeated: boolean
}

/**
 * Returns the id of a request's block: the known one if the request comes again, or else a free one. The ids of requests
 * begin again with each process, and one process gives no id twice.
 */
export function rpcBlockId(
  { conversationId, place, requestId, data }: RpcRequest,
  { askedIds, isRepeated }: AskedRequests,
  { state }: Pick<SessionOutput, 'state'>,
): { readonly id: string; readonly isFirst: boolean } {
  for (let number = 1; ; number += 1) {
    const id = (number === 1 ? place : `${place}:${number}`) + SEPARATOR + requestId
    const known = state.findBlock(conversationId, id)
    const isSame = known?.type === 'request' && isEqual(known.data, data)
    const isOfProcess = askedIds.get(id) || state.isOpen(conversationId, id) || isRepeated
    if (!known || (isSame && isOfProcess)) return { id, isFirst: number === 1 }
  }
}

/** Returns the id of the JSON-RPC request in the id of a block. */
export function requestIdOf(blockId: string): string {
  return blockId.slice(blockId.lastIndexOf(SEPARATOR) + SEPARATOR.length)
}

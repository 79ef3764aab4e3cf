import { omitUndefined } from '../../core/json/fields.ts'
import type { JsonObject } from '../../core/json/values.ts'
import type { BlockOf } from '../../core/state/block.ts'
import type { RequestAnswer, RequestOption } from '../../core/state/request.ts'
import type { SessionConversationState } from '../../core/state/session.ts'

/**
 * The answer of the person as the program takes it:
 * - `message`: write it to the program as one line of JSON, and push it to your reader
 * - `call`: a JSON-RPC request. Send it with an id of your own
 * - `http`: a request to the program's server
 */
export type RequestReply =
  | { readonly type: 'message'; readonly message: JsonObject }
  | { readonly type: 'call'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'http'; readonly method: 'POST'; readonly path: string; readonly body: JsonObject }

/** The decision of the person, with the names of a `request` block. */
export interface PersonDecision {
  /** The id of an option, or the chosen labels of each question. Leave it out to refuse with the program's own option. */
  readonly answer?: RequestAnswer
  /** The person refuses. */
  readonly denied?: true
  /** The person's words with a refusal, where the program takes them. */
  readonly comment?: string
  /** The filled form, where the program sends the schema of one. */
  readonly content?: JsonObject
}

/**
 * The reason why there is no reply.
 * - `unknown-request`: no conversation has a request with that id
 * - `not-pending`: the request was answered or withdrawn
 * - `no-answer-taken`: the program takes no answer, or the state lacks a part of it. The message says which
 * - `wrong-answer`: the answer is none of the options, or has another number of questions
 */
type RequestErrorCode = 'unknown-request' | 'not-pending' | 'no-answer-taken' | 'wrong-answer'

/** A request cannot be answered. */
export class RequestError extends Error {
  readonly code: RequestErrorCode

  constructor(code: RequestErrorCode, message: string) {
    super(message)
    this.name = 'RequestError'
    this.code = code
  }
}

/** A request that waits, and what the person decides. */
export interface Decided {
  readonly request: BlockOf<'request'>
  readonly decision: PersonDecision
  readonly state: SessionConversationState
}

/** Makes the reply for one wire. */
export type MakeReply = (decided: Decided) => RequestReply

/** Returns the id of the chosen option, or the refusal of the program. Throws a `RequestError` if the request has no such option. */
export function chosenOption(
  { request, decision: { answer, denied } }: Decided,
  refusal: string | undefined,
): string {
  const options = request.options ?? []
  const chosen = answer === undefined && denied ? refusal : answer
  const named = typeof chosen === 'string' ? chosen : onlyLabel(chosen)
  const option = options.find(
    ({ id, label }) => id === named || (request.kind === 'question' && label === named),
  )
  if (named !== undefined && (option || options.length === 0)) return option?.id ?? named
  throw wrongAnswer(request, options)
}

/**
 * Returns the chosen labels of each question. A text is the answer to the only question. The id of an option stands for
 * its label. Other words are the person's own.
 */
export function chosenLabels({ request, decision: { answer } }: Decided): readonly (readonly string[])[] {
  const labels = typeof answer === 'string' ? [[answer]] : answer
  const questions = request.questions ?? [{ options: request.options ?? [] }]
  const count = questions.length
  if (labels?.length === count)
    return labels.map((chosen, at) => chosen.map((word) => labelOf(word, questions[at]?.options)))
  throw new RequestError('wrong-answer', `${request.id}: pass the labels of ${count} questions`)
}

function labelOf(word: string, options: readonly RequestOption[] = []): string {
  const isLabel = options.some(({ label }) => label === word)
  return (isLabel ? undefined : options.find(({ id }) => id === word)?.label) ?? word
}

/** Returns the labels by the texts of their questions; those of one question are joined with a comma. */
function labelsByQuestion(decided: Decided): JsonObject {
  const labels = chosenLabels(decided)
  const { questions = [] } = decided.request
  return Object.fromEntries(questions.map(({ text }, at) => [text, labels[at]?.join(', ') ?? '']))
}

/**
 * Returns the answer to a request of the control protocol, which several command lines speak: a line to the standard
 * input. `inputOf` returns the input to run the call with; undefined if the program knows it.
 */
export function controlReply(
  decided: Decided,
  inputOf: (decided: Decided) => JsonObject | undefined,
): RequestReply {
  const { request, decision } = decided
  const isPermission = request.kind === 'permission'
  const isDenied = decision.denied === true || (isPermission && chosenOption(decided, 'deny') === 'deny')
  const response = isDenied
    ? { behavior: 'deny', message: decision.comment ?? REFUSAL }
    : omitUndefined({ behavior: 'allow', updatedInput: allowedInput(decided, inputOf(decided)) })
  const body = { subtype: 'success', request_id: request.id, response }
  return { type: 'message', message: { type: 'control_response', response: body } }
}

/** The words with a refusal if the person has none: programs of the control protocol ask for some. */
const REFUSAL = 'The user refused.'

function allowedInput(decided: Decided, input: JsonObject | undefined): JsonObject | undefined {
  return decided.request.kind === 'permission' ? input : { ...input, answers: labelsByQuestion(decided) }
}

function onlyLabel(answer: RequestAnswer | undefined): string | undefined {
  return Array.isArray(answer) && answer.length === 1 ? answer[0]?.[0] : undefined
}

function wrongAnswer({ id }: BlockOf<'request'>, options: readonly RequestOption[]): RequestError {
  const ids = options.map((option) => option.id).join(', ')
  return new RequestError(
    'wrong-answer',
    `${id}: pass one of ${ids === '' ? 'the options of the program' : ids}`,
  )
}

/** The state lacks a part of the reply, or the program takes none. */
export function noAnswerTaken({ id }: BlockOf<'request'>, reason: string): RequestError {
  return new RequestError('no-answer-taken', `${id}: ${reason}`)
}

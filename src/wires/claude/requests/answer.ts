import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { messageIdOf } from '../../../core/state/block.ts'
import type { RequestAnswer, RequestFacts, RequestQuestion } from '../../../core/state/request.ts'
import { MAIN } from '../../../core/state/session.ts'
import { isAtLeast } from '../../../programs/claude-code/program.ts'
import { isKilledCallText, textsIn } from '../../../programs/claude-code/texts.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { type Answer, type Request, storeRequest, tracedRequest } from '../../kit/requests.ts'
import { isNamed } from '../../kit/reused-ids.ts'
import type { CallRef } from '../blocks/calls.ts'
import type { ClaudeContext, ClaudeMemory } from '../notes.ts'
import {
  isInferred,
  knownCall,
  type RequestedCall,
  removeRequest,
  requestFacts,
  requestOfCall,
} from './known-requests.ts'

/** The answer of a person who allows the call. Questions are allowed with their answers. */
export function allowed({ kind, questions }: RequestFacts, record: JsonObject): Answer {
  const answer = kind === 'question' ? questionAnswers(record, questions) : 'allow'
  return omitUndefined({ answer, comment: answerNotes(record) })
}

/** The answer of a person who refuses, with the person's words. */
export function denied(comment: string | undefined): Answer {
  return omitUndefined({ answer: 'deny', denied: true, comment })
}

/** Returns the request with its answer. A known answer stays, and only gets facts that are missing. */
export function withAnswer(request: Request, answer: Answer): Request {
  const isOther = request.answer !== undefined && request.denied !== answer.denied
  return Object.assign({}, isOther ? {} : answer, request, { status: 'complete' as const })
}

/** The result of a call. */
interface CallResult {
  readonly conversationId: string
  readonly toolUseResult: JsonObject
  /** The program's decision to run the call. Older versions do not state it. */
  readonly decision?: JsonObject | undefined
}

/** Returns the decision about a call on the line of its result. A file's line has one result. */
export function decisionOn(raw: JsonObject, part: JsonObject): JsonObject | undefined {
  const toolUseId = asString(part.tool_use_id) ?? ''
  const meta = asArray(raw.tool_result_meta).find((each) =>
    isNamed(toolUseId, asString(asObject(each).id) ?? ''),
  )
  const { permission_decision } = asObject(meta)
  const decision = permission_decision ?? raw.permissionDecision
  if (decision !== undefined) return asObject(decision)
  return hasLeftDialog(raw, part) ? LEFT_DIALOG : undefined
}

/** The person left the dialog of a call, which then never ran. A call that was stopped while it ran has no such mark. */
const LEFT_DIALOG: JsonObject = { decision: 'reject', source: 'user_reject' }

/** Whether the line proves it. Versions up to 2.1.140 record the words of the dialog as an error of the tool: a stop is none. */
function hasLeftDialog(raw: JsonObject, part: JsonObject): boolean {
  if (raw.toolDenialBeforeRun === true) return isOfTerminal(raw)
  const words = textsIn(part.content).join('\n')
  return LEFT_WORDS.test(words) && asString(raw.toolUseResult)?.endsWith(`: ${words}`) === true
}

const LEFT_WORDS = /^(?:The user doesn't want to proceed with|Permission for) this tool use/

/**
 * Whether a file's line is of the terminal. Through the SDK, an interruption withdraws an open request, and the
 * person has refused nothing.
 */
function isOfTerminal({ entrypoint }: JsonObject): boolean {
  return entrypoint === 'cli'
}

/**
 * Takes a refusal from the line that ends main's turn. From 2.1.150 on, it names the stopped message, unless the
 * person has left a dialog. The dialog was that of the one call that was refused: of several, it could be any.
 */
export function refuseLeftCall(raw: JsonObject, context: ClaudeContext): void {
  const { version } = context.state.facts
  if (raw.interruptedMessageId !== undefined || !isOfTerminal(raw) || !isAtLeast(version, [2, 1, 150])) return
  const blocks = context.state.blocksOf(MAIN)
  const last = blocks.slice(blocks.findLastIndex((block) => messageIdOf(block) !== undefined) + 1)
  const [refused, ...others] = last.flatMap((block) =>
    block.type === 'tool_result' && isRefusal({ content: block.output }) ? block.toolUseId : [],
  )
  const call = context.state.findBlock(MAIN, refused ?? '')
  if (call?.type !== 'tool_use' || others.length > 0) return
  const { toolUseId, toolName, input } = call
  const ref = { conversationId: MAIN, toolUseId }
  if (requestOfCall(ref, context)) return
  const request = requestWith(ref, { toolName, input: asObject(input) }, context.state)
  storeRequest({ ...request, ...denied(undefined) }, context)
}

/**
 * Takes the answer to a request from the result of its call. If the source has read no request, a decision of the
 * person, or the answers to questions, prove that there was one. Then the request stands before the result, with an
 * id of its own.
 */
export function answerRequest(part: JsonObject, result: CallResult, context: ClaudeContext): void {
  const toolUseId = asString(part.tool_use_id) ?? ''
  const ref = { conversationId: result.conversationId, toolUseId }
  const known = requestOfCall(ref, context)
  context.notes.removeEntry('requestIds', toolUseId)
  const isWaiting = known !== undefined && context.state.isOpen(known.conversationId, known.id)
  if (isWaiting && wasNotAsked(known, part, result)) return removeRequest(known, context)
  if (known) {
    const isOpen = (isWaiting && !isInferred(known)) || known.answer !== undefined
    return storeRequest(withAnswer(known, answerIn(part, result, { request: known, isOpen })), context)
  }
  const unseen = isOfPerson(part, result) ? unseenRequest(ref, context) : undefined
  if (unseen)
    storeRequest(withAnswer(unseen, answerIn(part, result, { request: unseen, isOpen: false })), context)
}

/**
 * Asks the questions of a call in a file. Only the call shows that the person has been asked. The result will have
 * the answer, or show that there was no question: a hook, or a wrong input.
 */
export function askInferred(ref: CallRef, context: ClaudeContext): void {
  const request = unseenRequest(ref, context)
  if (request) storeRequest({ ...request, status: 'pending' }, context)
}

function wasNotAsked(request: Request, part: JsonObject, result: CallResult): boolean {
  if (!isInferred(request) || part.is_error !== true || isOfPerson(part, result)) return false
  return !isRefusal(part) && !textsIn(part.content).some(isKilledCallText)
}

function unseenRequest(ref: CallRef, memory: ClaudeMemory): Request | undefined {
  const call = knownCall(ref, memory)
  return call && requestWith(ref, call, memory.state)
}

function requestWith(ref: CallRef, call: RequestedCall, { facts: { cwd } }: SessionLookups): Request {
  return tracedRequest({ ...ref, ...requestFacts(call, { cwd }) })
}

/** Whether the result proves that a person answered. A rule or a hook may decide too. */
function isOfPerson(part: JsonObject, { decision, toolUseResult }: CallResult): boolean {
  if (decision) return asString(decision.source)?.startsWith('user_') === true
  return toolUseResult.answers !== undefined || refusalWords(part) !== undefined
}

/** The sources of decisions that the program made without the person, although it asked at first. */
const PROGRAM_SOURCES: ReadonlySet<unknown> = new Set(['config', 'hook'])

/** Without a decision, the result alone shows whether the call of an open request ran. A withdrawn request stays without an answer. */
function answerIn(
  part: JsonObject,
  { decision, toolUseResult }: CallResult,
  { request, isOpen }: { readonly request: Request; readonly isOpen: boolean },
): Answer {
  if (decision && PROGRAM_SOURCES.has(decision.source)) return {}
  if (decision?.decision === 'reject') return denied(commentIn(part))
  if (decision?.decision === 'accept') return allowed(request, toolUseResult)
  if (part.is_error !== true) return isOpen || toolUseResult.answers ? allowed(request, toolUseResult) : {}
  // Only a person refuses with words, even if no request is known.
  return (isOpen && isRefusal(part)) || refusalWords(part) !== undefined ? denied(commentIn(part)) : {}
}

/** The program's words for the model about a call that the person refused. The person's own words may follow. */
const REFUSAL = /^(?:The user doesn't want to |Permission for this tool use was denied)/

function isRefusal({ content }: JsonObject): boolean {
  return REFUSAL.test(textsIn(content).join('\n'))
}

/** Returns the person's words in a refusal: the part after the program's words, or the whole text. */
function commentIn(part: JsonObject): string | undefined {
  if (isRefusal(part)) return refusalWords(part)
  return textsIn(part.content).join('\n') || undefined
}

function refusalWords(part: JsonObject): string | undefined {
  if (part.is_error !== true || !isRefusal(part)) return undefined
  const words = /the user said:\n(.+?)(?:\n\nNote: The user's next message .*)?$/is
  return words.exec(textsIn(part.content).join('\n'))?.[1]
}

/** Returns the chosen labels of each question; undefined if the record holds no answers. A free text is an answer like a label. */
function questionAnswers(
  { answers }: JsonObject,
  questions: readonly RequestQuestion[] = [],
): RequestAnswer | undefined {
  if (!isObject(answers)) return undefined
  return questions.map((question) => labelsIn(answers[question.text], question))
}

function labelsIn(answer: unknown, { options, multiple }: RequestQuestion): readonly string[] {
  if (Array.isArray(answer)) return answer.flatMap((label) => asString(label) ?? [])
  const text = asString(answer) ?? ''
  if (text === '') return []
  return multiple
    ? splitLabels(
        text,
        options.map(({ label }) => label),
      )
    : [text]
}

/** The program joins several labels with a comma, which may be in a label too. So the longest label at the beginning counts. */
function splitLabels(text: string, labels: readonly string[]): readonly string[] {
  const longestFirst = labels.toSorted((left, right) => right.length - left.length)
  const chosen: string[] = []
  let rest = text
  while (rest !== '') {
    const label = longestFirst.find((each) => rest === each || rest.startsWith(`${each}, `))
    if (label === undefined || label === '') return [...chosen, rest]
    chosen.push(label)
    rest = rest.slice(label.length + 2)
  }
  return chosen
}

/** Returns the person's notes on the questions, without a note that is the answer itself. */
function answerNotes({ answers, annotations }: JsonObject): string | undefined {
  if (!isObject(annotations)) return undefined
  const given = new Set(Object.values(asObject(answers)).flatMap((answer) => asArray(answer).concat(answer)))
  const notes = Object.values(annotations).flatMap((note) => asString(asObject(note).notes) ?? [])
  return notes.filter((note) => note !== '' && !given.has(note)).join('\n') || undefined
}

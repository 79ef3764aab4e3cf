import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isString, type JsonObject } from '../../../core/json/values.ts'
import type { RequestFacts, RequestOption, RequestQuestion } from '../../../core/state/request.ts'
import { labelOptions, permissionTitle, questionFacts } from '../../kit/requests.ts'

/** Reads the properties of an event that asks for a permission, or asks questions. */
export function askedFacts(type: string, properties: JsonObject): RequestFacts {
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

/** The answer to a request. A request without an answer was withdrawn. */
export type RequestResult = Pick<RequestFacts, 'answer' | 'denied' | 'comment'>

/** The answer of a person who refused. */
const REJECTED: RequestResult = { answer: 'reject', denied: true }

/** Reads the properties of an event that answers a request. */
export function resultOf(type: string, { reply, response, answers }: JsonObject): RequestResult {
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
export interface RequestTrace {
  readonly facts: RequestFacts
  readonly result: RequestResult
}

const REJECTION = 'The user rejected permission to use this specific tool call'
const FEEDBACK = 'with the following feedback: '
const DISMISSAL = 'The user dismissed this question'

/** Returns what a call that has ended shows of its request. A permission that the person gave leaves no trace. */
export function requestTrace(part: JsonObject): RequestTrace | undefined {
  const { status, input, error, metadata } = asObject(part.state)
  const message = status === 'error' ? (asString(error) ?? '') : ''
  if (message.startsWith(REJECTION)) return { facts: permissionOfCall(part), result: rejection(message) }
  if (part.tool !== 'question' || !Array.isArray(asObject(input).questions)) return undefined
  const facts = askedQuestions(asObject(input))
  if (status === 'completed') return { facts, result: { answer: readAnswers(asObject(metadata).answers) } }
  return { facts, result: message.startsWith(DISMISSAL) ? REJECTED : {} }
}

function rejection(message: string): RequestResult {
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

import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import type { RequestFacts } from '../../../state/request.ts'
import { permissionOfCall } from './permission.ts'
import { askedQuestions, readAnswers } from './question.ts'

/** The answer to a request. A request without an answer was withdrawn. */
export type RequestResult = Pick<RequestFacts, 'answer' | 'denied' | 'comment'>

/** The answer of a person who refused. */
export const REJECTED: RequestResult = { answer: 'reject', denied: true }

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

import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { labelOptions, questionFacts } from '../../../session/requests.ts'
import type { RequestFacts, RequestQuestion } from '../../../state/request.ts'

/** Reads the questions of an event, or of a call of the tool `question`. */
export function askedQuestions({ questions }: JsonObject): RequestFacts {
  return questionFacts(asArray(questions).flatMap(readQuestion), { fallbackTitle: 'question' })
}

/** Reads the labels that the person chose, for each question. */
export function readAnswers(answers: unknown): readonly (readonly string[])[] {
  return asArray(answers).map((labels) => asArray(labels).flatMap((label) => asString(label) ?? []))
}

function readQuestion(value: unknown): readonly RequestQuestion[] {
  const { question, options, multiple } = asObject(value)
  const text = asString(question)
  if (text === undefined) return []
  const isMultiple = multiple === true ? true : undefined
  return [omitUndefined({ text, options: labelOptions(options), multiple: isMultiple })]
}

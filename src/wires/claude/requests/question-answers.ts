import { asArray, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import type { RequestAnswer, RequestQuestion } from '../../../core/state/request.ts'

/** Returns the chosen labels of each question; undefined if the record holds no answers. A free text is an answer like a label. */
export function questionAnswers(
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
export function answerNotes({ answers, annotations }: JsonObject): string | undefined {
  if (!isObject(annotations)) return undefined
  const given = new Set(Object.values(asObject(answers)).flatMap((answer) => asArray(answer).concat(answer)))
  const notes = Object.values(annotations).flatMap((note) => asString(asObject(note).notes) ?? [])
  return notes.filter((note) => note !== '' && !given.has(note)).join('\n') || undefined
}

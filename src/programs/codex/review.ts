import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../core/json/values.ts'

/** Returns the words of a review's begin or end. A stream has them as a text, and a rollout has the facts that the text is made from. */
export function reviewText({ review, user_facing_hint, review_output }: JsonObject): string {
  return asString(review) ?? asString(user_facing_hint) ?? outputText(asObject(review_output))
}

function outputText({ overall_explanation, findings }: JsonObject): string {
  const found = asArray(findings).map((finding) => findingText(asObject(finding)))
  const title = found.length > 1 ? 'Full review comments:' : 'Review comment:'
  const comments = found.length > 0 ? [title, ...found] : []
  return [asString(overall_explanation)?.trim() ?? '', ...comments].filter((text) => text !== '').join('\n\n')
}

function findingText({ title, body, code_location }: JsonObject): string {
  const { absolute_file_path: path, line_range } = asObject(code_location)
  const { start, end } = asObject(line_range)
  const lines = [start, end].map((line) => String(asFiniteNumber(line) ?? ''))
  const words = (asString(body) ?? '').split('\n').map((line) => `  ${line}`)
  return [`- ${asString(title) ?? ''} — ${asString(path) ?? ''}:${lines.join('-')}`, ...words].join('\n')
}

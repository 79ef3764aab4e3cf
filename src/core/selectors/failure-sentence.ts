import type { SessionConversationState } from '../state/session.ts'
import { errorText } from './error-text.ts'

/** Returns in one sentence why main's turn failed. Undefined if it did not fail, or if nothing says why. */
export function failureSentence({ turn, blocks }: SessionConversationState): string | undefined {
  if (turn.status !== 'failed') return undefined
  const error = turn.error ?? blocks.findLast((block) => block.type === 'error')?.message
  return error === undefined ? undefined : firstSentence(errorText(error))
}

/** In UTF-16 units. */
const MAX_SENTENCE = 300

/** Returns the first sentence of a text on one line. A point without a space behind it ends none, as in `api.example.com`. */
export function firstSentence(text: string): string | undefined {
  const line = text
    .slice(0, 4 * MAX_SENTENCE)
    .replace(/\s+/g, ' ')
    .trim()
  const [sentence = line] = /^.{12,}?[.!?。！？](?= |$)/u.exec(line) ?? []
  const short =
    sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE - 1).trimEnd()}…` : sentence
  return short === '' ? undefined : short
}

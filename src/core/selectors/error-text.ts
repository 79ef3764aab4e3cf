import { asObject, isObject, isString, parseJson } from '../json/values.ts'
import type { SessionConversationState } from '../state/session.ts'

/** Errors in errors. A hostile one has thousands. */
const MAX_LEVELS = 8

/** Returns the words of an error. Some programs report the response of a server as JSON, perhaps after words of their own. */
export function errorText(message: string): string {
  return textAt(message, 0)
}

function textAt(message: string, level: number): string {
  const start = message.indexOf('{')
  const words = start < 0 ? undefined : wordsIn(parseJson(message.slice(start)), level)
  return words === undefined ? message : message.slice(0, start) + words
}

function wordsIn(value: unknown, level: number): string | undefined {
  if (level > MAX_LEVELS) return undefined
  const { error, message, detail } = asObject(value)
  if (isObject(error)) return wordsIn(error, level + 1)
  const words = [error, message, detail].find(isString)
  return words ? textAt(words, level + 1) : undefined
}

/** Returns why main's turn failed, unless its last block is the error itself. */
export function failureReason({ turn, blocks }: SessionConversationState): string | undefined {
  const last = blocks.at(-1)
  const isShown = last?.type === 'error' && last.message === turn.error
  return turn.error === undefined || isShown ? undefined : errorText(turn.error)
}

import { asObject, isObject, isString, parseJson } from '../json/values.ts'
import { type ConversationBlock, isPrompt } from '../state/block.ts'
import type { SessionConversationState } from '../state/session.ts'
import { sessionStatus } from './status.ts'

/** Returns why the last turn failed, in the words of the program. Undefined for another status, and without any words. */
export function failureText(state: SessionConversationState): string | undefined {
  if (sessionStatus(state) !== 'failed') return undefined
  const last = lastError(state)
  const message = state.turn.error ?? (last?.type === 'error' ? last.message : undefined)
  return message === undefined ? undefined : errorText(message)
}

/** Returns in one sentence why the last turn failed. Undefined if it did not fail, or if nothing says why. */
export function failureSentence(state: SessionConversationState): string | undefined {
  const text = failureText(state)
  return text === undefined ? undefined : firstSentence(text)
}

/** Returns the id of the block of main where the last turn failed: its error, or else its last block. */
export function failureBlockId(state: SessionConversationState): string | undefined {
  if (sessionStatus(state) !== 'failed') return undefined
  return (lastError(state) ?? state.blocks.at(-1))?.id
}

/** An error of an earlier turn says nothing about the last one. */
function lastError({ blocks }: SessionConversationState): ConversationBlock | undefined {
  const start = blocks.findLastIndex(isPrompt)
  return blocks.findLast(({ type }, at) => at > start && type === 'error')
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

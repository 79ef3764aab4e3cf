import { type ConversationBlock, isPrompt } from '../state/block.ts'
import type { SessionConversationState } from '../state/session.ts'
import { errorText } from './error-text.ts'
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

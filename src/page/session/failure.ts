import { type ConversationBlock, type SessionConversationState, sessionStatus } from 'agentfold'
import { errorText } from '../../core/selectors/error-text.ts'
import { isPrompt } from '../../core/state/block.ts'

/** Returns why the last turn failed, in the words of the program. Undefined for another status, and without any words. */
export function failureText(state: SessionConversationState): string | undefined {
  if (sessionStatus(state) !== 'failed') return undefined
  const last = lastError(state)
  const message = state.turn.error ?? (last && 'message' in last ? last.message : undefined)
  return message === undefined ? undefined : errorText(message)
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

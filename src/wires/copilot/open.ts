import { isModelText } from '../../core/state/block.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { MAIN } from '../../core/state/session.ts'
import { noteReusedIds } from '../kit/reused-ids.ts'
import type { CopilotContext } from './notes.ts'

/**
 * Makes the notes that are needed to go on from a state. A state does not hold tokens whose reply has not come, the ids of deltas, the bytes of
 * attachments before their prompt, and copies of the session.
 */
export function open(state: SessionConversationState, context: CopilotContext): void {
  const { session, turn, blocks, subagents } = state
  noteReusedIds(state, context)
  for (const block of [{ blocks }, ...subagents].flatMap((thread) => thread.blocks)) {
    if (isModelText(block) && block.status === 'pending')
      context.setEntry('textPlaces', context.keyOf(block.conversationId, block.id), {
        type: 'appended',
        deltas: '',
      })
  }
  // Only a connection states the tokens in the context.
  if (session.contextTokens !== undefined) context.remember({ isStream: true })
  if (turn.status !== 'running') return
  const last = blocks.findLast(({ type }) => type !== 'system' && type !== 'request')
  const isAnswer = last?.type === 'assistant_text' && last.status !== 'pending'
  if (isAnswer && !context.isOpen(MAIN, last.id)) context.answerTurn({})
}

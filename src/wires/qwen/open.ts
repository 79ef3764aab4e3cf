import { type ConversationBlock, isModelText, messageIdOf } from '../../core/state/block.ts'
import { numberedId, numberOfId } from '../../core/state/numbered-id.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { QwenContext } from './notes.ts'
import { moveTo, turnOf } from './place.ts'
import { noteAnswer } from './turn.ts'

/** Makes the notes that are needed to go on from a state. A state does not have the ids of records, so a later rewind has no place. */
export function open(state: SessionConversationState, context: QwenContext): void {
  const abandoned = state.branches?.flatMap(({ blocks }) => blocks) ?? []
  // A turn may have calls alone. Only the ids of their messages name its place.
  const numbers = [...state.blocks, ...abandoned].flatMap((block) =>
    [block.id, turnOf(block.id), messageIdOf(block)].flatMap((id = '') => numberOfId(id) ?? []),
  )
  const { status } = state.turn
  const count = numbers.reduce((most, number) => Math.max(most, number + 1), status === 'idle' ? 0 : 1)
  if (count > 0) context.setEntry('promptCounts', MAIN, count)
  const last = state.blocks.at(-1)
  if (status === 'running' && (last === undefined || last.type === 'user_message'))
    context.remember({ isFresh: true })
  if (status === 'running' && last === undefined) moveTo(MAIN, numberedId(0), context)
  if (status === 'running' && last?.type === 'assistant_text' && last.status === 'complete')
    noteAnswer(context.usageOf(MAIN, last.messageId ?? '') !== undefined, last.timestamp, context)
  openThread(MAIN, state.blocks, abandoned, context)
  for (const { toolUseId, blocks } of state.subagents) {
    const prompts = blocks.filter(({ id }) => id.startsWith(`${toolUseId}:prompt`)).length
    if (prompts > 0) context.setEntry('promptCounts', toolUseId, prompts)
    openThread(toolUseId, blocks, [], context)
  }
}

/** Notes up to which time a conversation is known, and the text that goes on. */
function openThread(
  conversationId: string,
  blocks: readonly ConversationBlock[],
  abandoned: readonly ConversationBlock[],
  context: QwenContext,
): void {
  const times = [...blocks, ...abandoned].flatMap(({ timestamp }) => timestamp ?? [])
  const until = times.sort().at(-1)
  if (until !== undefined) context.setEntry('knownUntil', conversationId, until)
  const text = blocks.findLast((block) => block.status === 'pending' && isModelText(block))
  if (text) context.setEntry('openTexts', conversationId, { id: text.id })
}

import { numberOfId } from '../../core/state/numbered-id.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import type { GeminiContext } from './notes.ts'

/**
 * Makes the notes that are needed to go on from a state. A state does not have the ids of prompts in files, so a later rewind to one of them has
 * no place.
 */
export function open(state: SessionConversationState, context: GeminiContext): void {
  const abandoned = state.branches?.flatMap(({ blocks }) => blocks) ?? []
  openThread(MAIN, { blocks: [...state.blocks, ...abandoned] }, context)
  for (const { toolUseId, agentId = toolUseId, ...thread } of state.subagents)
    openThread(agentId, thread, context)
  const openText = state.blocks.findLast(
    ({ type, status }) => type === 'assistant_text' && status === 'pending',
  )
  if (openText) context.remember({ openText: { id: openText.id } })
}

function openThread(
  key: string,
  { blocks }: Pick<ConversationThread, 'blocks'>,
  context: GeminiContext,
): void {
  let count = 0
  for (const { id, type } of blocks) {
    const number = type === 'user_message' ? numberOfId(id) : undefined
    if (number === undefined) continue
    count = Math.max(count, number + 1)
    context.setEntry('unnamedPrompts', context.keyOf(key, id), true)
  }
  if (count > 0) context.setEntry('promptCounts', key, count)
}

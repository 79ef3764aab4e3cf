import { omitUndefined } from '../../core/json/fields.ts'
import { type BlockOf, isModelText, messageIdOf, toolResultBlockId } from '../../core/state/block.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { outputText } from '../../programs/kimi/results.ts'
import { noteReusedIds } from '../kit/reused-ids.ts'
import { noteFile } from './calls.ts'
import type { KimiContext } from './context.ts'
import { placeAfter } from './stream.ts'

/** Makes the notes that are needed to go on from a state. The state does not have the numbers of turns. */
export function open(state: SessionConversationState, context: KimiContext): void {
  noteReusedIds(state, context)
  const streamPlace = placeAfter(state.blocks)
  if (streamPlace) context.remember({ streamPlace })
  else if (state.blocks.length > 0) context.remember({ repeatedTo: '' })
  openThread(MAIN, state, context)
  for (const agent of state.subagents) openThread(agent.toolUseId, agent, context)
}

function openThread(
  conversationId: string,
  { blocks, usage }: ConversationThread,
  context: KimiContext,
): void {
  const model = usage.at(-1)?.model
  if (model !== undefined) context.setEntry('models', conversationId, model)
  const last = blocks.findLast((block) => messageIdOf(block) !== undefined)
  const stepId = last && messageIdOf(last)
  if (stepId !== undefined)
    context.setEntry(
      'steps',
      conversationId,
      omitUndefined({ id: stepId, time: last?.timestamp, isResumed: true }),
    )
  if (last && isModelText(last) && last.status === 'pending')
    context.setEntry('textPlaces', conversationId, { type: 'appended', deltas: '' })
  for (const block of blocks) if (block.type === 'tool_use') openCall(block, context)
}

function openCall(call: BlockOf<'tool_use'>, context: KimiContext): void {
  const { conversationId, toolUseId } = call
  const result = context.findBlock(conversationId, toolResultBlockId(toolUseId))
  if (result?.type === 'tool_result' && !result.isError) noteFile(call, outputText(result.output), context)
}

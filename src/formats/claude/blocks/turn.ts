import { type BlockOf, isSubagentBlockId } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import { compositeKey } from '../../translation/composite-key.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'
import { type MessageRef, messageOf } from './message.ts'
import { retractBlock } from './model-block.ts'

/** Whether the model stopped because it had answered, and not to call a tool; unknown while it is at work. */
export function hasAnswered(stopReason: unknown): boolean {
  return typeof stopReason === 'string' && stopReason !== 'tool_use'
}

/** Whether main streams a message or waits for a tool. */
export function isUnderWay({ memory }: ClaudeContext): boolean {
  return memory.streaming.get(MAIN) !== undefined || openCalls(MAIN, memory).length > 0
}

/** What main has left open will not be finished any more: the turn is over, or its process was killed. */
export function giveUpTurn(translation: ClaudeContext): void {
  retractAnnounced(translation)
  translation.remember({ streaming: translation.memory.streaming.without(MAIN) })
  giveUpCalls(MAIN, translation)
}

/**
 * The model begins another message: it would not without the results of its calls, so those that are still open were
 * left behind by a process that was killed.
 */
export function beginMessage(ref: MessageRef, translation: ClaudeContext): void {
  const { memory } = translation
  if (memory.messages.get(compositeKey(ref.conversationId, ref.messageId))) return
  if (openCalls(ref.conversationId, memory).length > 0) giveUpCalls(ref.conversationId, translation)
}

function giveUpCalls(conversationId: string, translation: ClaudeContext): void {
  const { memory } = translation
  const calls = openCalls(conversationId, memory).reduce(
    (left, { toolUseId }) => left.without(compositeKey(conversationId, toolUseId)),
    memory.calls,
  )
  translation.remember({ calls })
  translation.emit({ type: 'session:idle', conversationId })
}

function openCalls(conversationId: string, { calls }: ClaudeMemory): readonly BlockOf<'tool_use'>[] {
  return calls.values().filter((call) => call.conversationId === conversationId)
}

/** A call that was cut off while it streamed has never started an agent. */
function retractAnnounced(translation: ClaudeContext): void {
  const messageId = translation.memory.streaming.get(MAIN)
  if (messageId === undefined) return
  for (const block of messageOf({ conversationId: MAIN, messageId }, translation).streamed)
    if (!block.isWhole && isSubagentBlockId(block.id)) retractBlock(MAIN, block.id, translation)
}

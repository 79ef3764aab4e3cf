import type { ConversationBlock, SessionConversationState } from 'agentfold'
import { timeOf } from '../../sinks/markdown/text/values.ts'

/** Returns the time of the first block, in ms since 1970. */
export function startOf({ blocks }: Pick<SessionConversationState, 'blocks'>): number | undefined {
  return timeOf(blocks.find(hasTime)?.timestamp)
}

/** Returns the time from the first block to the last one of any agent, in ms. Undefined if it is not known, or zero. */
export function durationOf(state: SessionConversationState): number | undefined {
  const start = startOf(state)
  const ends = [state, ...state.subagents].map(
    ({ blocks }) => timeOf(blocks.findLast(hasTime)?.timestamp) ?? 0,
  )
  const duration = start === undefined ? 0 : ends.reduce((left, right) => Math.max(left, right), 0) - start
  return duration > 0 ? duration : undefined
}

function hasTime({ timestamp }: ConversationBlock): boolean {
  return timeOf(timestamp) !== undefined
}

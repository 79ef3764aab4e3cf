import type { Memory } from '../../../reading/context.ts'
import { isConversationLine, type Line } from '../lines/line.ts'
import type { ClaudeContext } from '../notes.ts'
import { agentGroup, type BufferGroup, INLINE, isEarlyLine } from './early-lines.ts'
import { isInlineAgentLine, isProgramAgentLine, mayHaveInlineAgent } from './inline-agents.ts'
import { isUnlinkedAgentLine } from './unlinked-agents.ts'

/**
 * The reason to ignore a line:
 * - `program-agent`: a line of an agent that the program itself runs, for example to compact the conversation
 * - `repeated`: the source has read it before. It may still hold the final tokens
 * - `no-agent`: a subagent's line inside the session's file, while no agent runs
 * - `not-conversation`: a line of an unlinked agent that is no part of the agent's conversation
 */
export type IgnoreReason = 'program-agent' | 'repeated' | 'no-agent' | 'not-conversation'

/**
 * The way that a line takes: the source ignores it for a reason, buffers it in a group or until the line above it
 * comes, or translates it.
 */
export type Route =
  | { readonly to: 'ignore'; readonly reason: IgnoreReason }
  | { readonly to: 'buffer'; readonly group: BufferGroup }
  | { readonly to: 'wait-for-parent' }
  | { readonly to: 'translate' }

const TRANSLATE: Route = { to: 'translate' }

/** Decides what the source does with a line. */
export function routeLine(line: Line, memory: Memory<ClaudeContext>): Route {
  if (isProgramAgentLine(line)) return { to: 'ignore', reason: 'program-agent' }
  if (line.isRepeated) return { to: 'ignore', reason: 'repeated' }
  if (isInlineAgentLine(line))
    return mayHaveInlineAgent(memory) ? { to: 'buffer', group: INLINE } : { to: 'ignore', reason: 'no-agent' }
  if (isEarlyLine(line, memory)) return { to: 'wait-for-parent' }
  if (line.agentId === undefined || !isUnlinkedAgentLine(line, memory)) return TRANSLATE
  if (isConversationLine(line)) return { to: 'buffer', group: agentGroup(line.agentId) }
  return { to: 'ignore', reason: 'not-conversation' }
}

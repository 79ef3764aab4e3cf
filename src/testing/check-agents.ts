import type { SourceIssue } from '../formats/source.ts'
import type { ConversationThread, SessionConversationState } from '../state/session.ts'
import { LawError } from './law-error.ts'

/**
 * Checks the agents of a state after the end of the input. An agent that still runs has an `unfinished-subagent` issue, and the call of an agent
 * has no block of a tool.
 */
export function checkAgents(
  state: SessionConversationState,
  issues: readonly SourceIssue[],
  index: number,
): void {
  const place = 'end' as const
  const reported = new Set(
    issues.flatMap(({ code, toolUseId }) => (code === 'unfinished-subagent' ? [toolUseId] : [])),
  )
  for (const { toolUseId, status } of state.subagents) {
    const isReported = status !== 'running' || reported.has(toolUseId)
    if (!isReported) throw new LawError('unreported-agent', index, { actual: toolUseId, place })
  }
  const [block] = toolBlocksOfAgents(state)
  if (block) throw new LawError('doubled-call', index, { actual: block, place })
}

function toolBlocksOfAgents(state: SessionConversationState): ConversationThread['blocks'] {
  const agents = new Set(state.subagents.map(({ toolUseId }) => toolUseId))
  return [state, ...state.subagents].flatMap(({ blocks }) =>
    blocks.filter(
      (block) => (block.type === 'tool_use' || block.type === 'tool_result') && agents.has(block.toolUseId),
    ),
  )
}

import type { SourceEnd } from '../session/source.ts'
import type { ConversationThread, SessionConversationState, SubagentState } from '../state/session.ts'
import { LawError } from './law-error.ts'

/** Whether an agent that runs waits for more work. */
export type WaitsForWork = (agent: SubagentState) => boolean

interface EndedState {
  readonly state: SessionConversationState
  readonly end: SourceEnd
  readonly waitsForWork: WaitsForWork
}

/**
 * Checks the agents of a state after the end of the input. An agent that still runs has an `unfinished-subagent` issue, unless it waits for more
 * work in a finished session. The call of an agent has no block of a tool.
 */
export function checkAgents({ state, end, waitsForWork }: EndedState, index: number): void {
  const place = 'end' as const
  const reported = new Set(
    end.issues.flatMap(({ code, toolUseId }) => (code === 'unfinished-subagent' ? [toolUseId] : [])),
  )
  for (const agent of state.subagents) {
    const { toolUseId, status } = agent
    const mayRun = reported.has(toolUseId) || (end.ending === 'finished' && waitsForWork(agent))
    if (status === 'running' && !mayRun)
      throw new LawError('unreported-agent', index, { actual: toolUseId, place })
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

import type { ConversationThread, SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import type { SourceEnd } from '../../reading/source.ts'
import { LawError } from './law-error.ts'

/**
 * Checks the agents of a state after the end of the input. None of them runs, unless the session waits for a person, and each one that the end has cut has an
 * `unfinished-subagent` issue.
 */
export function checkAgentEnds({ session: { state }, issues }: SourceEnd, index: number): void {
  const place = 'end' as const
  const reported = new Set(
    issues.map((issue) => (issue.code === 'unfinished-subagent' ? issue.toolUseId : undefined)),
  )
  for (const { toolUseId, status, openBlocks } of state.subagents) {
    if (!isFinal(status) && !waitsForPerson(state))
      throw new LawError('runs-on', index, { actual: toolUseId, place })
    if (openBlocks && !reported.has(toolUseId))
      throw new LawError('unreported-agent', index, { actual: toolUseId, place })
  }
}

/** Checks that the call of an agent has no block of a tool. */
export function checkAgentCalls({ session: { state } }: SourceEnd, index: number): void {
  const [block] = toolBlocksOfAgents(state)
  if (block) throw new LawError('doubled-call', index, { actual: block, place: 'end' })
}

function toolBlocksOfAgents(state: SessionConversationState): ConversationThread['blocks'] {
  const agents = new Set(state.subagents.map(({ toolUseId }) => toolUseId))
  return [state, ...state.subagents].flatMap(({ blocks }) =>
    blocks.filter(
      (block) => (block.type === 'tool_use' || block.type === 'tool_result') && agents.has(block.toolUseId),
    ),
  )
}

/** Whether a request of any conversation waits for the person. */
export function waitsForPerson(state: SessionConversationState): boolean {
  return [state, ...state.subagents].some(({ blocks }) =>
    blocks.some(({ type, status }) => type === 'request' && status === 'pending'),
  )
}

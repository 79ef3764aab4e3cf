import { subagentBlockId } from '../../../state/block.ts'
import type { ClaudeContext } from '../context.ts'
import { completeAgent } from './agent-run.ts'

/** Ends and forgets the agent of a retracted call, unless it has started: a line or an event has named its id. */
export function abandonUnstartedAgent(blockId: string, context: ClaudeContext): void {
  const agent = context.memory.agents.values().find(({ toolUseId }) => subagentBlockId(toolUseId) === blockId)
  if (!agent || agent.agentId !== undefined || agent.hasEnded) return
  completeAgent(agent, { status: 'error' }, context)
  // Forgotten, so that the lines of an agent with the same prompt go to the call that replaces this one.
  const { agents, unfinishedAgents } = context.memory
  context.remember({
    agents: agents.without(agent.toolUseId),
    unfinishedAgents: unfinishedAgents.without(agent.toolUseId),
  })
}

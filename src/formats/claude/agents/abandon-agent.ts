import { subagentBlockId } from '../../../state/block.ts'
import type { ClaudeContext } from '../context.ts'
import type { Agent } from '../memory.ts'
import { completeAgent } from './agent-run.ts'

/** Returns the agent of a subagent's block. */
export function agentOfBlock(blockId: string, { memory }: ClaudeContext): Agent | undefined {
  return memory.agents.values().find(({ toolUseId }) => subagentBlockId(toolUseId) === blockId)
}

/** Ends and forgets the agent of a retracted call, unless it has started: a line or an event has named its id. */
export function abandonUnstartedAgent(blockId: string, context: ClaudeContext): void {
  const agent = agentOfBlock(blockId, context)
  if (!agent || agent.agentId !== undefined || agent.hasEnded) return
  completeAgent(agent, { status: 'error' }, context)
  // Forgotten, so that the lines of an agent with the same prompt go to the call that replaces this one.
  const { agents, unfinishedAgents } = context.memory
  context.remember({
    agents: agents.without(agent.toolUseId),
    unfinishedAgents: unfinishedAgents.without(agent.toolUseId),
  })
}

/**
 * Ends the agents whose calls a conversation waited for, and the agents that they waited for. The conversation's turn is over
 * without their results, so the process that ran them was killed, or the turn was stopped.
 */
export function abandonAwaitedAgents(conversationId: string, context: ClaudeContext): void {
  const waiting = [conversationId]
  for (const parent of waiting)
    for (const agent of awaitedAgents(parent, context)) {
      completeAgent(agent, { status: 'error' }, context)
      waiting.push(agent.toolUseId)
    }
}

/** Returns the running agents whose calls a conversation waits for. */
export function awaitedAgents(conversationId: string, { memory }: ClaudeContext): readonly Agent[] {
  return memory.unfinishedAgents
    .values()
    .flatMap((toolUseId) => memory.agents.get(toolUseId) ?? [])
    .filter(({ parent, hasOpenCall, isResumed }) => parent === conversationId && hasOpenCall && !isResumed)
    .sort((left, right) => left.order - right.order)
}

import { addToList } from '../../../json/append.ts'
import { toolUseIdOfBlock } from '../../../state/block.ts'
import type { ClaudeContext } from '../context.ts'
import type { Agent } from '../memory.ts'
import { completeAgent } from './agent-run.ts'
import { forgetAgent } from './register-agent.ts'

/** Returns the agent of a subagent's block. */
export function agentOfBlock(blockId: string, { memory }: ClaudeContext): Agent | undefined {
  return memory.agents.get(toolUseIdOfBlock(blockId))
}

/** Ends and forgets the agent of a retracted call, unless it has started: a line or an event has named its id. */
export function abandonUnstartedAgent(blockId: string, context: ClaudeContext): void {
  const agent = agentOfBlock(blockId, context)
  if (!agent || agent.agentId !== undefined || agent.hasEnded) return
  completeAgent(agent, { status: 'error' }, context)
  // Forgotten, so that the lines of an agent with the same prompt go to the call that replaces this one.
  forgetAgent(agent.toolUseId, context)
}

/**
 * Ends the agents whose calls a conversation waited for, and the agents that they waited for. The conversation's turn is over
 * without their results, so the process that ran them was killed, or the turn was stopped.
 */
export function abandonAwaitedAgents(conversationId: string, context: ClaudeContext): void {
  const agents = awaitedAgents(context)
  const waiting = [conversationId]
  for (const parent of waiting)
    for (const agent of agents.get(parent) ?? []) {
      completeAgent(agent, { status: 'error' }, context)
      waiting.push(agent.toolUseId)
    }
}

/** Whether a conversation waits for the call of a running agent. */
export function isAwaitingAgent(conversationId: string, { memory }: ClaudeContext): boolean {
  return memory.unfinishedAgents
    .values()
    .some((toolUseId) => awaitedBy(memory.agents.get(toolUseId)) === conversationId)
}

/** Returns the running agents whose calls a conversation waits for, in order, by that conversation. */
function awaitedAgents({ memory }: ClaudeContext): ReadonlyMap<string, readonly Agent[]> {
  const agents = new Map<string, Agent[]>()
  const unfinished = memory.unfinishedAgents.values().flatMap((id) => memory.agents.get(id) ?? [])
  for (const agent of unfinished.sort((left, right) => left.order - right.order)) {
    const parent = awaitedBy(agent)
    if (parent !== undefined) addToList(agents, parent, agent)
  }
  return agents
}

/** Returns the conversation that waits for the agent's call. */
function awaitedBy(agent: Agent | undefined): string | undefined {
  return agent?.hasOpenCall && !agent.isResumed ? agent.parent : undefined
}

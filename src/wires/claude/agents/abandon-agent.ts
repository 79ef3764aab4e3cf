import { addToList } from '../../../core/json/lists.ts'
import { toolUseIdOfBlock } from '../../../core/state/block.ts'
import type { ClaudeContext } from '../context.ts'
import { type Agent, findAgent, hasOpenCall, runningAgents } from './agent.ts'
import { completeAgent } from './agent-run.ts'

/** Ends the agent of a retracted call, unless it has started: a line or an event has named its id. */
export function abandonUnstartedAgent(blockId: string, context: ClaudeContext): void {
  const agent = findAgent(toolUseIdOfBlock(blockId), context)
  if (agent && agent.agentId === undefined && !agent.hasEnded)
    completeAgent(agent, { status: 'error' }, context)
}

/**
 * Ends the agents whose calls a conversation waited for, and the agents that they waited for. The conversation's turn is over
 * without their results, so the process that ran them was killed, or the turn was stopped.
 */
export function abandonAwaitedAgents(conversationId: string, context: ClaudeContext): void {
  const byParent = new Map<string, Agent[]>()
  for (const agent of runningAgents(context).filter((each) => isAwaited(each, context)))
    addToList(byParent, agent.parent ?? '', agent)
  const waiting = [conversationId]
  for (const parent of waiting)
    for (const agent of byParent.get(parent) ?? []) {
      completeAgent(agent, { status: 'error' }, context)
      waiting.push(agent.toolUseId)
    }
}

/** Ends all agents in the background: the person has stopped them, or has left the program. */
export function completeKilledAgents(context: ClaudeContext): void {
  for (const agent of runningAgents(context).filter(({ isLaunched }) => isLaunched === true))
    completeAgent(agent, { status: 'error' }, context)
}

/** Whether a conversation waits for the call of a running agent. */
export function isAwaitingAgent(conversationId: string, context: ClaudeContext): boolean {
  return runningAgents(context).some((agent) => agent.parent === conversationId && isAwaited(agent, context))
}

/** Whether the parent of a running agent waits for the result of the call. */
function isAwaited(agent: Agent, context: ClaudeContext): boolean {
  return !agent.isResumed && hasOpenCall(agent, context)
}

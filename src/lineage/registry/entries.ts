import type { Draft } from 'immer'
import { produce, requireDraft } from '../../json/produce.ts'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import { passIndex, positionOf } from './agent-index.ts'

export function findAgent({ agents }: AgentRegistry, id: string): AgentEntry | undefined {
  return agents[positionOf(agents, id)]
}

export function addAgent(registry: AgentRegistry, agent: AgentEntry): AgentRegistry {
  const agents = [...registry.agents, agent]
  passIndex(registry.agents, agents, registry.agents.length)
  return { ...registry, agents }
}

/**
 * Applies a recipe to one agent. The recipe does not get the list: immer makes a proxy of each item that a recipe reads, and
 * there may be thousands of agents.
 */
export function updateAgent(
  registry: AgentRegistry,
  id: string,
  recipe: (agent: Draft<AgentEntry>) => void,
): AgentRegistry {
  const position = positionOf(registry.agents, id)
  const next = produce(registry, ({ agents }) => {
    const agent = requireDraft(agents[position])
    if (agent) recipe(agent)
  })
  passIndex(registry.agents, next.agents, position)
  return next
}

/** Events may come out of time order, so an earlier time changes nothing. Times are in ms since the epoch. */
export function advanceTime(agent: Draft<AgentEntry>, at: number): void {
  agent.lastUpdateTime = Math.max(agent.lastUpdateTime, at)
}

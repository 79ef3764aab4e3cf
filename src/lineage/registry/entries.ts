import type { Draft } from 'immer'
import { draftAt, produce } from '../../json/produce.ts'
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
  agent: AgentEntry,
  recipe: (agent: Draft<AgentEntry>) => void,
): AgentRegistry {
  const found = positionOf(registry.agents, agent.id)
  // A host's list may have two agents with one id.
  const position = registry.agents[found] === agent ? found : registry.agents.indexOf(agent)
  const next = produce(registry, ({ agents }) => recipe(draftAt(agents, position)))
  passIndex(registry.agents, next.agents, position)
  return next
}

/** Events may come out of time order, so an earlier time changes nothing. Times are in ms since the epoch. */
export function advanceTime(agent: Draft<AgentEntry>, at: number): void {
  agent.lastUpdateTime = Math.max(agent.lastUpdateTime, at)
}

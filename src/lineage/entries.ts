import type { AgentEntry, AgentIssue, AgentRegistry } from './agent.ts'

/** What an event gave. */
export interface AgentStep {
  readonly registry: AgentRegistry
  readonly issues: readonly AgentIssue[]
}

/** Returns the step of an event about an agent that is known; one about any other is an issue. */
export function stepOf(
  registry: AgentRegistry,
  agentId: string,
  step: (agent: AgentEntry) => AgentStep,
): AgentStep {
  const agent = findAgent(registry, agentId)
  if (!agent) return { registry, issues: [{ code: 'unknown-agent', agentId }] }
  return step(agent)
}

export function findAgent({ agents }: AgentRegistry, id: string): AgentEntry | undefined {
  return agents.find((agent) => agent.id === id)
}

/** Returns the registry with what is news of an agent at a time, in ms; without any the same registry. */
export function withNews(
  registry: AgentRegistry,
  agent: AgentEntry,
  at: number,
  told: Partial<AgentEntry>,
): AgentRegistry {
  const news = { ...told, lastUpdateTime: Math.max(agent.lastUpdateTime, at) }
  const isNews = Object.entries(news).some(([field, value]) => Reflect.get(agent, field) !== value)
  if (!isNews) return registry
  return {
    ...registry,
    agents: registry.agents.map((other) => (other === agent ? agentWith(agent, news) : other)),
  }
}

/** Not a spread: V8 gives large ones with new fields a hidden class each, and searching through them takes ten times as long. */
export function agentWith(agent: AgentEntry, news: Partial<AgentEntry>): AgentEntry {
  return Object.assign({}, agent, news)
}

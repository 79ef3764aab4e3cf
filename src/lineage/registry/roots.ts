import type { AgentRegistry } from './agent.ts'
import { findAgent } from './entries.ts'

/**
 * Returns the id of the topmost agent above the agent, or its own id if it has no parent. Only the topmost agent may still get a parent. The host
 * may have dropped its entry. In a circle of bad data it is an agent of the circle.
 */
export function rootId(registry: AgentRegistry, agentId: string): string {
  const passed = new Set<string>()
  let id = agentId
  while (!passed.has(id)) {
    passed.add(id)
    id = findAgent(registry, id)?.parentAgentId ?? id
  }
  return id
}

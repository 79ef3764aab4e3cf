import { topDown } from '../../selectors/forest.ts'
import type { AgentRegistry } from './agent.ts'

/**
 * Returns by agent id the id of the topmost agent above it, or its own id if the agent has no parent. Only the topmost agent
 * may still get a parent. The host may have dropped its entry.
 */
export function rootIds({ agents }: AgentRegistry): ReadonlyMap<string, string> {
  const roots = new Map<string, string>()
  const placed = topDown(agents, { idOf: ({ id }) => id, parentOf: ({ parentAgentId }) => parentAgentId })
  for (const { id, parentAgentId = id } of placed.keys())
    roots.set(id, roots.get(parentAgentId) ?? parentAgentId)
  return roots
}

import { topDown } from '../selectors/forest.ts'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import type { Claims } from './claim.ts'
import { agentWith, findAgent } from './entries.ts'

/** Tells the hash of an agent to its claims, its children and its parent. An agent without a hash has nothing to tell. */
export function withKinTold(registry: AgentRegistry, agentId: string): AgentRegistry {
  const { conversationHash, parentAgentId } = findAgent(registry, agentId) ?? {}
  if (typeof conversationHash !== 'string') return registry
  const isOwn = (other: Pick<AgentEntry, 'parentAgentId'>) => other.parentAgentId === agentId
  const told = (claims: Claims): Claims =>
    claims.some(isOwn)
      ? claims.map((claim) => (isOwn(claim) ? { ...claim, parentConversationHash: conversationHash } : claim))
      : claims
  return {
    ...registry,
    agents: registry.agents.map((other) => {
      if (isOwn(other)) return agentWith(other, { parentConversationHash: conversationHash })
      return other.id === parentAgentId ? withChildHash(other, conversationHash) : other
    }),
    claims: told(registry.claims),
    expiredClaims: told(registry.expiredClaims),
  }
}

function withChildHash(parent: AgentEntry, hash: string): AgentEntry {
  return agentWith(parent, { childConversationHashes: [...parent.childConversationHashes, hash] })
}

/**
 * Returns by each agent's id that of the one above all that have started it, itself if nobody has. Only that one can be nobody's
 * child, and a host may have dropped it.
 */
export function rootsIn({ agents }: AgentRegistry): ReadonlyMap<string, string> {
  const roots = new Map<string, string>()
  const placed = topDown(agents, { idOf: ({ id }) => id, parentOf: ({ parentAgentId }) => parentAgentId })
  for (const { id, parentAgentId = id } of placed.keys())
    roots.set(id, roots.get(parentAgentId) ?? parentAgentId)
  return roots
}

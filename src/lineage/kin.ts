import type { AgentEntry, AgentRegistry } from './agent.ts'
import type { Claim, Claims } from './claim.ts'
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

/** Whether an agent is the claim's parent, or has started it, over any number of others. */
export function isAbove(registry: AgentRegistry, id: string, { parentAgentId }: Claim): boolean {
  const seen = new Set<string>()
  for (let at: string | undefined = parentAgentId; at !== undefined && !seen.has(at); ) {
    if (at === id) return true
    seen.add(at)
    at = findAgent(registry, at)?.parentAgentId
  }
  return false
}

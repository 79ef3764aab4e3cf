import type { AgentEntry, AgentRegistry } from './agent.ts'
import type { Claim, Claims } from './claim.ts'
import { findAgent } from './entries.ts'

/** Tells the hash of an agent to its claims, its children and its parent. An agent without a hash has nothing to tell. */
export function withKinTold(registry: AgentRegistry, agentId: string): AgentRegistry {
  const agent = findAgent(registry, agentId)
  const parentConversationHash = agent?.conversationHash ?? null
  if (!agent || parentConversationHash === null) return registry
  const isOwn = ({ parentAgentId }: { readonly parentAgentId?: string }) => parentAgentId === agentId
  const told = (claims: Claims): Claims =>
    claims.some(isOwn)
      ? claims.map((claim) => (isOwn(claim) ? { ...claim, parentConversationHash } : claim))
      : claims
  const agents = registry.agents.map((other) => (isOwn(other) ? { ...other, parentConversationHash } : other))
  return {
    ...registry,
    agents: agents.map((other) =>
      other.id === agent.parentAgentId
        ? { ...other, childConversationHashes: hashesOfChildren(agents, other.id) }
        : other,
    ),
    claims: told(registry.claims),
    expiredClaims: told(registry.expiredClaims),
  }
}

function hashesOfChildren(agents: readonly AgentEntry[], parentId: string): readonly string[] {
  return agents.flatMap(({ parentAgentId, conversationHash }) =>
    parentAgentId === parentId && conversationHash !== null ? [conversationHash] : [],
  )
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

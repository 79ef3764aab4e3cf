import type { Draft } from 'immer'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import type { Claim } from './claim.ts'

/** Links a child to the parent that made the claim. Either of them may have come first. */
export function linkChild(
  child: Draft<AgentEntry>,
  { parentAgentId, parentConversationHash, toolUseId }: Claim,
): void {
  if (toolUseId !== undefined && !child.toolUseIds.includes(toolUseId)) child.toolUseIds.push(toolUseId)
  child.parentAgentId = parentAgentId
  child.parentConversationHash = parentConversationHash ?? null
  child.isOrphan = false
}

/** Removes a claim that an agent has answered. */
export function removeClaim(registry: AgentRegistry, claim: Claim): AgentRegistry {
  return { ...registry, claims: registry.claims.filter((other) => other !== claim) }
}

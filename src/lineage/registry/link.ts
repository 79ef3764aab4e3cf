import type { Draft } from 'immer'
import { type Claim, findClaimOfCall, UNKNOWN_NAME } from '../claims/claim.ts'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import { withClaims } from './entries.ts'

/** Links a child to the parent that made the claim. Either of them may have come first. A child without a name takes the name in the call. */
export function linkChild(
  child: Draft<AgentEntry>,
  { parentAgentId, parentConversationHash, toolUseId, expectedChildAgentName }: Claim,
): void {
  if (child.name === UNKNOWN_NAME) child.name = expectedChildAgentName
  if (toolUseId !== undefined && !child.toolUseIds.includes(toolUseId)) child.toolUseIds.push(toolUseId)
  child.parentAgentId = parentAgentId
  child.parentConversationHash = parentConversationHash ?? null
  child.isOrphan = false
}

/** Removes a claim that an agent has answered. */
export function removeClaim(registry: AgentRegistry, claim: Claim): AgentRegistry {
  return withClaims(registry, { claims: registry.claims.filter((other) => other !== claim) })
}

/**
 * Removes the parent's open claims for the calls of its child. A child may name one call and match another by its prompt: then it
 * answers both, as no other agent can name its call.
 */
export function removeClaimsOfCalls(
  registry: AgentRegistry,
  {
    parentAgentId,
    toolUseIds,
  }: { readonly parentAgentId?: string | undefined; readonly toolUseIds: readonly (string | undefined)[] },
): AgentRegistry {
  return toolUseIds.reduce((left, toolUseId) => {
    const claim = findClaimOfCall(left.claims, { parentAgentId, toolUseId })
    return claim ? removeClaim(left, claim) : left
  }, registry)
}

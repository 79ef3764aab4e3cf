import type { Draft } from 'immer'
import { type Claim, type Claims, findClaimOfCall, UNKNOWN_NAME } from '../claims.ts'
import { changed } from '../produce.ts'
import type { AgentEntry, AgentRegistry } from './agent.ts'
import { findAgent, listOf, updateAgentAt, withClaims } from './entries.ts'

/**
 * Links a child to the parent that made the claim. Either of them may have come first. A child without a name takes the
 * name in the call.
 */
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

/** Removes a claim that an agent has answered, in time or by its call. */
export function removeClaim(registry: AgentRegistry, claim: Claim): AgentRegistry {
  const name = registry.claims.includes(claim) ? 'claims' : 'expiredClaims'
  return withClaims(registry, { [name]: registry[name].filter((other) => other !== claim) })
}

/**
 * Removes the parent's claims for the calls of its child. A child may name one call and match another by its prompt:
 * then it answers both, as no other agent can name its call.
 */
export function removeClaimsOfCalls(
  registry: AgentRegistry,
  {
    parentAgentId,
    toolUseIds,
  }: { readonly parentAgentId?: string | undefined; readonly toolUseIds: readonly (string | undefined)[] },
): AgentRegistry {
  return toolUseIds.reduce((left, toolUseId) => {
    const call = { parentAgentId, toolUseId }
    const claim = findClaimOfCall(left.claims, call) ?? findClaimOfCall(left.expiredClaims, call)
    return claim ? removeClaim(left, claim) : left
  }, registry)
}

/** Copies the hash of an agent's conversation to its claims, its children and its parent. Without a hash nothing changes. */
export function propagateHash(registry: AgentRegistry, agentId: string): AgentRegistry {
  const { conversationHash, parentAgentId } = findAgent(registry, agentId) ?? {}
  if (typeof conversationHash !== 'string') return registry
  const list = listOf(registry)
  const withChildren = list.childrenOf(agentId).reduce(
    (next, { position }) =>
      updateAgentAt(next, position, (child) => {
        child.parentConversationHash = conversationHash
      }),
    registry,
  )
  const parent = list.positionOf(parentAgentId)
  const withParent =
    parent < 0
      ? withChildren
      : updateAgentAt(withChildren, parent, (agent) => {
          agent.childConversationHashes.push(conversationHash)
        })
  const claims = withHash(registry.claims, agentId, conversationHash)
  const expiredClaims = withHash(registry.expiredClaims, agentId, conversationHash)
  if (claims === registry.claims && expiredClaims === registry.expiredClaims) return withParent
  return withClaims(withParent, { claims, expiredClaims })
}

/** Returns the claims of the parent with its hash; the same reference if there are none. */
function withHash(claims: Claims, parentAgentId: string, hash: string): Claims {
  const isOfParent = (claim: Claims[number]) =>
    claim.parentAgentId === parentAgentId && claim.parentConversationHash !== hash
  if (!claims.some(isOfParent)) return claims
  return claims.map((claim) =>
    isOfParent(claim)
      ? changed(claim, (draft) => {
          draft.parentConversationHash = hash
        })
      : claim,
  )
}

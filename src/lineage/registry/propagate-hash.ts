import { changed } from '../../json/produce.ts'
import type { Claims } from '../claims/claim.ts'
import type { AgentRegistry } from './agent.ts'
import { findAgent, listOf, updateAgentAt, withClaims } from './entries.ts'

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

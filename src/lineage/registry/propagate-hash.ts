import type { Draft } from 'immer'
import { draftAt, produce, requireDraft } from '../../json/produce.ts'
import type { Claim, Claims } from '../claims/claim.ts'
import type { AgentRegistry } from './agent.ts'
import { childrenOf, passIndex, positionOf } from './agent-index.ts'
import { findAgent } from './entries.ts'

/** Copies the hash of an agent's conversation to its claims, its children and its parent. Without a hash nothing changes. */
export function propagateHash(registry: AgentRegistry, agentId: string): AgentRegistry {
  const { conversationHash, parentAgentId } = findAgent(registry, agentId) ?? {}
  if (typeof conversationHash !== 'string') return registry
  const { agents, claims, expiredClaims } = registry
  const parent = positionOf(agents, parentAgentId)
  const next = produce(registry, (draft) => {
    for (const { position } of childrenOf(agents, agentId))
      draftAt(draft.agents, position).parentConversationHash = conversationHash
    requireDraft(draft.agents[parent])?.childConversationHashes.push(conversationHash)
    for (const claim of claimsOf(agentId, claims, draft.claims))
      claim.parentConversationHash = conversationHash
    for (const claim of claimsOf(agentId, expiredClaims, draft.expiredClaims))
      claim.parentConversationHash = conversationHash
  })
  passIndex(agents, next.agents, 0)
  return next
}

/** Reads the claims outside of the draft: immer makes a proxy of each item that a recipe reads. */
function claimsOf(parentAgentId: string, claims: Claims, drafts: Draft<Claim>[]): readonly Draft<Claim>[] {
  return claims.flatMap((claim, at) => (claim.parentAgentId === parentAgentId ? draftAt(drafts, at) : []))
}

import { omitUndefined } from '../../json/fields.ts'
import { bestMatch, type Claim, createClaim, findClaimOfCall, isStrong } from '../claims.ts'
import type { AgentEntry, AgentIssue, AgentRegistry, AgentSpawningEvent, AgentStep } from './agent.ts'
import { listOf, rootId, updateAgent, withClaims } from './entries.ts'
import { linkChild, propagateHash, removeClaim, removeClaimsOfCalls } from './link.ts'
import { evidenceOf } from './start.ts'

/**
 * How long before its parent's call a child without the call's id may have started, in ms. Clocks differ, and a
 * gateway knows a call only when the whole call has been streamed.
 */
const EARLY_START_MS = 5_000

/**
 * Handles a parent's call of a child. If the child has already started, it is linked; otherwise a claim waits for it.
 * If several early children match, `onAmbiguous` decides: the first one, or none.
 */
export function spawnChild(
  registry: AgentRegistry,
  parent: AgentEntry,
  { type, agentId, at, ...call }: AgentSpawningEvent,
): AgentStep {
  const facts = omitUndefined({
    ...call,
    parentAgentId: parent.id,
    parentAgentTypeHash: parent.agentTypeHash ?? '',
    parentConversationHash: parent.conversationHash ?? undefined,
  })
  if (isAnswered(registry, facts)) return { registry, issues: [] }
  const claims = createClaim(registry.claims, facts, at)
  if (claims === registry.claims) return { registry, issues: [] }
  // A repeated call may have added facts to its claim. That claim is not the last one.
  const claim = findClaimOfCall(claims, facts) ?? claims.at(-1)
  const waiting = withClaims(registry, { claims })
  const [child, ...others] = claim ? earlyChildren(waiting, claim) : []
  if (!claim || !child) return { registry: waiting, issues: [] }
  const issues: readonly AgentIssue[] =
    others.length > 0 ? [{ code: 'ambiguous-claim', agentId: child.id, claim }] : []
  if (others.length > 0 && registry.onAmbiguous === 'none') return { registry: waiting, issues }
  const first = findClaimOfCall(registry.claims, facts)
  const unclaimed = first ? removeClaim(registry, first) : registry
  const linked = updateAgent(unclaimed, child, (draft) => linkChild(draft, claim))
  const answered = removeClaimsOfCalls(linked, { ...child, parentAgentId: parent.id })
  return { registry: propagateHash(answered, child.id), issues }
}

/** Returns whether the call already has its child, or an expired claim. */
function isAnswered(registry: AgentRegistry, call: Pick<Claim, 'parentAgentId' | 'toolUseId'>): boolean {
  const { parentAgentId, toolUseId } = call
  const children = listOf(registry).childrenOf(parentAgentId)
  const hasChild = children.some(({ agent }) => agent.toolUseIds.some((id) => id === toolUseId))
  return hasChild || findClaimOfCall(registry.expiredClaims, call) !== undefined
}

/** Only strong evidence counts here, because an agent without a call may have no parent at all. */
function earlyChildren(registry: AgentRegistry, claim: Claim): readonly AgentEntry[] {
  const { timestamp, expiresAt } = claim
  const early = listOf(registry).unlinkedFor(claim.toolUseId, [timestamp - EARLY_START_MS, expiresAt])
  const found = early.flatMap((agent) => {
    const evidence = evidenceOf(agent)
    const via = bestMatch([claim], evidence)?.via
    if (!isStrong(via)) return []
    return bestMatch(registry.claims, evidence)?.claim === claim ? [{ agent, via }] : []
  })
  const root = rootId(registry, claim.parentAgentId)
  const children = found.filter(({ agent }) => agent.id !== root)
  const byCall = children.filter(({ via }) => via === 'toolUseId')
  return (byCall.length > 0 ? byCall : children).map(({ agent }) => agent)
}

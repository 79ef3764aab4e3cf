import { omitUndefined } from '../json/omit-undefined.ts'
import type { AgentEntry, AgentIssue, AgentRegistry, AgentSpawningEvent } from './agent.ts'
import { type Claim, claimOfCall, createClaim } from './claim.ts'
import type { AgentStep } from './entries.ts'
import { rootsIn, withKinTold } from './kin.ts'
import { bestMatch, isStrong } from './match.ts'
import { childOf, evidenceOf, withoutClaim } from './start.ts'

/**
 * How long before its parent's call a child may have started, in ms: clocks differ, and a call is known when it has been
 * streamed to its end.
 */
const EARLY_START_MS = 5_000

/** A parent calls a child: that one has started already, or a claim waits for it. Of several, the first is taken, or none. */
export function callChild(
  registry: AgentRegistry,
  parent: AgentEntry,
  { type, agentId, at, ...call }: AgentSpawningEvent,
): AgentStep {
  const made = omitUndefined({
    ...call,
    parentAgentId: parent.id,
    parentAgentTypeHash: parent.agentTypeHash ?? '',
    parentConversationHash: parent.conversationHash ?? undefined,
  })
  if (isAnswered(registry, made)) return { registry, issues: [] }
  const claims = createClaim(registry.claims, made, at)
  if (claims === registry.claims) return { registry, issues: [] }
  // A call that is told again may have filled in its claim: that one is not the last.
  const claim = claimOfCall(claims, made) ?? claims.at(-1)
  const waiting = { ...registry, claims }
  const [child, ...others] = claim ? earlyChildren(waiting, claim) : []
  if (!claim || !child) return { registry: waiting, issues: [] }
  const issues: readonly AgentIssue[] =
    others.length > 0 ? [{ code: 'ambiguous-claim', agentId: child.id, claim }] : []
  if (others.length > 0 && registry.onAmbiguous === 'none') return { registry: waiting, issues }
  const before = claimOfCall(registry.claims, made)
  const answered = before ? withoutClaim(registry, before) : registry
  const agents = registry.agents.map((agent) => (agent === child ? childOf(agent, claim) : agent))
  return { registry: withKinTold({ ...answered, agents }, child.id), issues }
}

/** A call that is seen again has its child, or has waited for it in vain. */
function isAnswered(
  { agents, expiredClaims }: AgentRegistry,
  call: Pick<Claim, 'parentAgentId' | 'toolUseId'>,
): boolean {
  const { parentAgentId, toolUseId } = call
  if (toolUseId === undefined) return false
  const isChild = (agent: AgentEntry) =>
    agent.parentAgentId === parentAgentId && agent.toolUseIds.includes(toolUseId)
  return agents.some(isChild) || claimOfCall(expiredClaims, call) !== undefined
}

/** Only strong evidence counts: an agent that nobody has called may well be nobody's child. */
function earlyChildren(registry: AgentRegistry, claim: Claim): readonly AgentEntry[] {
  const found = registry.agents.flatMap((agent) => {
    if (!isEarly(agent, claim)) return []
    const evidence = evidenceOf(agent)
    const via = bestMatch([claim], evidence)?.via
    if (!isStrong(via)) return []
    return bestMatch(registry.claims, evidence)?.claim === claim ? [{ agent, via }] : []
  })
  const root = found.length > 0 ? rootsIn(registry).get(claim.parentAgentId) : undefined
  const children = found.filter(({ agent }) => agent.id !== root)
  const byCall = children.filter(({ via }) => via === 'toolUseId')
  return (byCall.length > 0 ? byCall : children).map(({ agent }) => agent)
}

function isEarly({ startTime, parentAgentId, isMain }: AgentEntry, { timestamp, expiresAt }: Claim): boolean {
  return (
    parentAgentId === undefined && !isMain && timestamp - startTime <= EARLY_START_MS && startTime < expiresAt
  )
}

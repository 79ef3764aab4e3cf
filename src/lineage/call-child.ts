import { known } from '../state/known.ts'
import type { AgentEntry, AgentRegistry, AgentSpawningEvent } from './agent.ts'
import { type Claim, claimOfCall, createClaim } from './claim.ts'
import { findAgent } from './entries.ts'
import { withKinTold } from './kin.ts'
import { isStrong, matchedBy } from './match.ts'
import { childOf, evidenceOf } from './start.ts'

/**
 * How long before its parent's call a child may have started, in ms: clocks differ, and a call is known when it has been
 * streamed to its end.
 */
export const EARLY_START_MS = 5_000

/** A parent calls a child: that one has started already, or a claim waits for it. */
export function callChild(
  registry: AgentRegistry,
  parent: AgentEntry,
  { type, agentId, at, ...call }: AgentSpawningEvent,
): AgentRegistry {
  const made = known({
    ...call,
    parentAgentId: parent.id,
    parentAgentTypeHash: parent.agentTypeHash ?? '',
    parentConversationHash: parent.conversationHash ?? undefined,
  })
  if (isAnswered(registry, made)) return registry
  const claims = createClaim(registry.claims, made, at)
  if (claims.length === registry.claims.length) return withClaims(registry, claims)
  const claim = claims.at(-1)
  const child = claim && earlyChild(registry, parent, claim)
  return child ? adopted(registry, child, claim) : withClaims(registry, claims)
}

function withClaims(registry: AgentRegistry, claims: AgentRegistry['claims']): AgentRegistry {
  return claims === registry.claims ? registry : { ...registry, claims }
}

/** A call that is seen again has its child, or has waited for it in vain. */
function isAnswered(
  { agents, expiredClaims }: AgentRegistry,
  call: Pick<Claim, 'parentAgentId' | 'toolUseId'>,
) {
  const { parentAgentId, toolUseId } = call
  if (toolUseId === undefined) return false
  const isChild = (agent: AgentEntry) =>
    agent.toolUseId === toolUseId && agent.parentAgentId === parentAgentId
  return agents.some(isChild) || claimOfCall(expiredClaims, call) !== undefined
}

/** Only strong evidence counts: an agent that nobody has called may well be nobody's child. */
function earlyChild(registry: AgentRegistry, parent: AgentEntry, claim: Claim): AgentEntry | undefined {
  const candidates = registry.agents.filter(
    (agent) =>
      Math.abs(claim.timestamp - agent.startTime) <= EARLY_START_MS &&
      agent.parentAgentId === undefined &&
      !agent.isMain &&
      !agent.isOrphan &&
      isStrong(matchedBy(claim, evidenceOf(agent))) &&
      !isAbove(registry, agent, parent),
  )
  return candidates.length > 1 && registry.onAmbiguous === 'none' ? undefined : candidates[0]
}

/** Whether one agent is the other, or has started it, over any number of others. */
function isAbove(registry: AgentRegistry, upper: AgentEntry, lower: AgentEntry): boolean {
  const seen = new Set<AgentEntry>()
  let at: AgentEntry | undefined = lower
  while (at && !seen.has(at)) {
    if (at === upper) return true
    seen.add(at)
    at = at.parentAgentId === undefined ? undefined : findAgent(registry, at.parentAgentId)
  }
  return false
}

function adopted(registry: AgentRegistry, child: AgentEntry, claim: Claim): AgentRegistry {
  const agents = registry.agents.map((agent) => (agent === child ? childOf(agent, claim) : agent))
  return withKinTold({ ...registry, agents }, child.id)
}

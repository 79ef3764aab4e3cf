import { known } from '../state/known.ts'
import type { AgentEntry, AgentRegistry, AgentSpawningEvent } from './agent.ts'
import { type Claim, claimOfCall, createClaim } from './claim.ts'
import { isAbove, withKinTold } from './kin.ts'
import { isStrong, isStronger, type MatchedBy, matchedBy } from './match.ts'
import { childOf, evidenceOf, withoutClaim } from './start.ts'

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
  if (claims === registry.claims) return registry
  const waiting = { ...registry, claims }
  // A call that is told again may have filled in its claim: that one is not the last.
  const claim = claimOfCall(claims, made) ?? claims.at(-1)
  const child = claim && earlyChild(waiting, claim)
  return child ? adopted(waiting, child, claim) : waiting
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
function earlyChild(registry: AgentRegistry, claim: Claim): AgentEntry | undefined {
  let best: { readonly agent: AgentEntry; readonly via: MatchedBy; readonly isAlone: boolean } | undefined
  for (const agent of registry.agents) {
    const via = isEarly(agent, claim) ? matchedBy(claim, evidenceOf(agent)) : undefined
    // What made an orphan of it may be said of the prompt, not of the call.
    if (via === undefined || !isStrong(via) || (agent.isOrphan && via !== 'toolUseId')) continue
    if (isAbove(registry, agent.id, claim)) continue
    if (!best || isStronger(via, best.via)) best = { agent, via, isAlone: true }
    else if (via === best.via) best = { ...best, isAlone: false }
  }
  return best && (best.isAlone || registry.onAmbiguous === 'oldest') ? best.agent : undefined
}

function isEarly({ startTime, parentAgentId, isMain }: AgentEntry, { timestamp }: Claim): boolean {
  return parentAgentId === undefined && !isMain && Math.abs(timestamp - startTime) <= EARLY_START_MS
}

function adopted(registry: AgentRegistry, child: AgentEntry, claim: Claim): AgentRegistry {
  const agents = registry.agents.map((agent) => (agent === child ? childOf(agent, claim) : agent))
  return withKinTold(withoutClaim({ ...registry, agents }, claim), child.id)
}

import { omitUndefined } from '../json/omit-undefined.ts'
import { NO_USAGE } from '../selectors/usage.ts'
import type { AgentEntry, AgentIssue, AgentRegistry, AgentStartedEvent } from './agent.ts'
import { type Claim, claimOfCall, UNKNOWN_NAME } from './claim.ts'
import { type AgentStep, agentWith, findAgent, withNews } from './entries.ts'
import { rootsIn } from './kin.ts'
import { bestMatch, type ChildEvidence, type ClaimMatch, isStrong } from './match.ts'

/** An agent's first request, or another one. */
export function startAgent(registry: AgentRegistry, event: AgentStartedEvent): AgentStep {
  const agent = findAgent(registry, event.agentId)
  return agent
    ? { registry: startAgain(registry, agent, event), issues: [] }
    : startFirst(registry, newAgent(event))
}

function startAgain(registry: AgentRegistry, agent: AgentEntry, event: AgentStartedEvent): AgentRegistry {
  const { at, modelId, estimatedInputTokens, maxInputTokens, toolUseId } = event
  const { parentAgentId, toolUseIds } = agent
  const isNewCall = toolUseId !== undefined && !toolUseIds.includes(toolUseId)
  const answered =
    isNewCall && parentAgentId !== undefined
      ? claimOfCall(registry.claims, { parentAgentId, toolUseId })
      : undefined
  return withNews(answered ? withoutClaim(registry, answered) : registry, agent, at, {
    ...omitUndefined({ modelId, estimatedInputTokens, maxInputTokens }),
    ...(isNewCall && { toolUseIds: [...toolUseIds, toolUseId] }),
    status: 'streaming',
  })
}

function newAgent(event: AgentStartedEvent): AgentEntry {
  const { agentId: id, at, name = UNKNOWN_NAME, isMain = false, modelId, toolUseId } = event
  const { estimatedInputTokens, maxInputTokens } = event
  const { systemPromptHash, agentTypeHash, firstUserMessageHash, promptHashes = [] } = event
  return omitUndefined({
    id,
    name,
    isMain,
    isOrphan: false,
    startTime: at,
    lastUpdateTime: at,
    status: 'streaming',
    inputTokens: 0,
    outputTokens: 0,
    usage: { earlier: NO_USAGE.final, last: NO_USAGE.final },
    modelId,
    estimatedInputTokens,
    maxInputTokens,
    systemPromptHash,
    agentTypeHash,
    firstUserMessageHash,
    promptHashes: [...promptHashes, ...(firstUserMessageHash === undefined ? [] : [firstUserMessageHash])],
    toolUseIds: toolUseId === undefined ? [] : [toolUseId],
    firstAssistantResponseHash: null,
    conversationHash: null,
    parentConversationHash: null,
    childConversationHashes: [],
  })
}

/** Hangs a new agent under the parent whose claim it answers. */
function startFirst(registry: AgentRegistry, agent: AgentEntry): AgentStep {
  if (agent.isMain) return { registry: withAgent(registry, agent), issues: [] }
  // One that a host has dropped, and that comes back, may be above its own callers.
  const isParent = registry.agents.some(({ parentAgentId }) => parentAgentId === agent.id)
  const roots = isParent ? rootsIn(registry) : undefined
  const match = bestMatch(
    registry.claims,
    evidenceOf(agent),
    ({ parentAgentId }) => (roots?.get(parentAgentId) ?? parentAgentId) !== agent.id,
  )
  const late = isStrong(match?.via) ? null : lateMatch(registry, agent)
  // What is open and fits by its name alone may be anybody's; a call or a prompt that has expired is not.
  if (late && (!match || isStrong(late.via)))
    return orphan(registry, agent, { code: 'late-child', agentId: agent.id, claim: late.claim })
  if (!match) return { registry: withAgent(registry, agent), issues: [] }
  const { claim, ambiguous } = match
  const issue: AgentIssue = { code: 'ambiguous-claim', agentId: agent.id, claim }
  if (ambiguous && registry.onAmbiguous === 'none') return orphan(registry, agent, issue)
  const linked = withAgent(withoutClaim(registry, claim), childOf(agent, claim))
  return { registry: linked, issues: ambiguous ? [issue] : [] }
}

function orphan(registry: AgentRegistry, agent: AgentEntry, issue: AgentIssue): AgentStep {
  return { registry: withAgent(registry, { ...agent, isOrphan: true }), issues: [issue] }
}

/**
 * The claim that the agent would have answered in time. Only for as long again, save by the call: prompts and names are used
 * again.
 */
function lateMatch({ expiredClaims }: AgentRegistry, agent: AgentEntry): ClaimMatch | null {
  return bestMatch(expiredClaims, evidenceOf(agent), ({ toolUseId, timestamp, expiresAt }) => {
    const isCall = toolUseId !== undefined && agent.toolUseIds.includes(toolUseId)
    return isCall || agent.startTime < expiresAt + (expiresAt - timestamp)
  })
}

/** What an agent's first request tells of who may have called it. */
export function evidenceOf({ name, agentTypeHash, promptHashes, toolUseIds }: AgentEntry): ChildEvidence {
  return omitUndefined({ agentName: name, agentTypeHash, promptHashes, toolUseId: toolUseIds[0] })
}

/** The agent as the child that a claim has waited for. */
export function childOf(
  agent: AgentEntry,
  { parentAgentId, parentConversationHash, toolUseId }: Claim,
): AgentEntry {
  const isKnown = toolUseId === undefined || agent.toolUseIds.includes(toolUseId)
  return agentWith(agent, {
    toolUseIds: isKnown ? agent.toolUseIds : [...agent.toolUseIds, toolUseId],
    parentAgentId,
    parentConversationHash: parentConversationHash ?? null,
    isOrphan: false,
  })
}

function withAgent(registry: AgentRegistry, agent: AgentEntry): AgentRegistry {
  return { ...registry, agents: [...registry.agents, agent] }
}

/** Returns the registry without a claim that has been answered. */
export function withoutClaim(registry: AgentRegistry, claim: Claim): AgentRegistry {
  return { ...registry, claims: registry.claims.filter((other) => other !== claim) }
}

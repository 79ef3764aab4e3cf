import { known } from '../state/known.ts'
import type { AgentEntry, AgentIssue, AgentRegistry, AgentStartedEvent } from './agent.ts'
import { type Claim, claimOfCall, UNKNOWN_NAME } from './claim.ts'
import { type AgentStep, agentWith, findAgent, withNews } from './entries.ts'
import { bestMatch, type ChildEvidence, isStrong } from './match.ts'

/** An agent's first request, or another one. */
export function startAgent(registry: AgentRegistry, event: AgentStartedEvent): AgentStep {
  const agent = findAgent(registry, event.agentId)
  return agent
    ? { registry: startAgain(registry, agent, event), issues: [] }
    : startFirst(registry, newAgent(event))
}

function startAgain(registry: AgentRegistry, agent: AgentEntry, event: AgentStartedEvent): AgentRegistry {
  const { at, modelId, estimatedInputTokens, maxInputTokens, toolUseId } = event
  const { parentAgentId } = agent
  const answered =
    parentAgentId === undefined
      ? undefined
      : claimOfCall(registry.claims, known({ parentAgentId, toolUseId }))
  const news = known({ modelId, estimatedInputTokens, maxInputTokens, lastUpdateTime: at })
  return withNews(answered ? withoutClaim(registry, answered) : registry, agent, {
    ...news,
    status: 'streaming',
  })
}

function newAgent(event: AgentStartedEvent): AgentEntry {
  const { agentId: id, at, name = UNKNOWN_NAME, isMain = false, modelId, toolUseId } = event
  const { estimatedInputTokens, maxInputTokens } = event
  const { systemPromptHash, agentTypeHash, firstUserMessageHash, promptHashes = [] } = event
  const none = { messages: 0 }
  return known({
    id,
    name,
    isMain,
    isOrphan: false,
    startTime: at,
    lastUpdateTime: at,
    status: 'streaming' as const,
    inputTokens: 0,
    outputTokens: 0,
    usage: { earlier: none, last: none },
    modelId,
    estimatedInputTokens,
    maxInputTokens,
    systemPromptHash,
    agentTypeHash,
    firstUserMessageHash,
    promptHashes: [...promptHashes, ...(firstUserMessageHash === undefined ? [] : [firstUserMessageHash])],
    toolUseId,
    firstAssistantResponseHash: null,
    conversationHash: null,
    parentConversationHash: null,
    childConversationHashes: [],
  })
}

/** Hangs a new agent under the parent whose claim it answers. */
function startFirst(registry: AgentRegistry, agent: AgentEntry): AgentStep {
  if (agent.isMain) return { registry: withAgent(registry, agent), issues: [] }
  const match = bestMatch(registry.claims, evidenceOf(agent))
  if (!match) return startUncalled(registry, agent)
  const { claim, ambiguous } = match
  const issues: readonly AgentIssue[] = ambiguous
    ? [{ code: 'ambiguous-claim', agentId: agent.id, claim }]
    : []
  if (ambiguous && registry.onAmbiguous === 'none')
    return { registry: withAgent(registry, { ...agent, isOrphan: true }), issues }
  return { registry: withAgent(withoutClaim(registry, claim), childOf(agent, claim)), issues }
}

/** Nobody waits for it: somebody may have, and not long enough. */
function startUncalled(registry: AgentRegistry, agent: AgentEntry): AgentStep {
  const match = bestMatch(registry.expiredClaims, evidenceOf(agent))
  if (!match || !isStrong(match.via)) return { registry: withAgent(registry, agent), issues: [] }
  return {
    registry: withAgent(registry, { ...agent, isOrphan: true }),
    issues: [{ code: 'late-child', agentId: agent.id, claim: match.claim }],
  }
}

/** What an agent's first request tells of who may have called it. */
export function evidenceOf({ name, agentTypeHash, promptHashes, toolUseId }: AgentEntry): ChildEvidence {
  return known({ agentName: name, agentTypeHash, promptHashes, toolUseId })
}

/** The agent as the child that a claim has waited for. */
export function childOf(
  agent: AgentEntry,
  { parentAgentId, parentConversationHash, toolUseId }: Claim,
): AgentEntry {
  return agentWith(agent, {
    ...known({ toolUseId: agent.toolUseId ?? toolUseId }),
    parentAgentId,
    parentConversationHash: parentConversationHash ?? null,
  })
}

function withAgent(registry: AgentRegistry, agent: AgentEntry): AgentRegistry {
  return { ...registry, agents: [...registry.agents, agent] }
}

function withoutClaim(registry: AgentRegistry, claim: Claim): AgentRegistry {
  return { ...registry, claims: registry.claims.filter((other) => other !== claim) }
}

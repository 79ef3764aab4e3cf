import { computeConversationHash, hashFirstAssistantResponse } from '../identity/conversation.ts'
import { assertNever } from '../state/assert-never.ts'
import { known } from '../state/known.ts'
import type {
  AgentCompletedEvent,
  AgentEntry,
  AgentEvent,
  AgentIssue,
  AgentRegistry,
  AgentSpawningEvent,
  AgentStartedEvent,
} from './agent.ts'
import { type Claims, createClaim, expireClaims } from './claim.ts'
import { type ClaimMatch, matchClaim } from './match.ts'

/** What an event gave. */
export interface AgentStep {
  readonly registry: AgentRegistry
  readonly issues: readonly AgentIssue[]
}

/** Returns the registry before the first event. */
export function createAgentRegistry(): AgentRegistry {
  return { agents: [], claims: [], expiredClaims: [] }
}

/** Folds an event into the registry. Nothing changed, same reference. */
export function reduceAgentEvent(registry: AgentRegistry, event: AgentEvent): AgentRegistry {
  return stepAgentEvent(registry, event).registry
}

/** Folds an event into the registry, and says what there is to say about it. Claims expire with the event's time. */
export function stepAgentEvent(registry: AgentRegistry, event: AgentEvent): AgentStep {
  const step = apply(registry, event)
  const { claims, expired } = expireClaims(step.registry.claims, event.at)
  if (expired.length === 0) return step
  const issues = expired.map(({ parentAgentId }) => ({
    code: 'expired-claim' as const,
    agentId: parentAgentId,
  }))
  return {
    registry: {
      ...step.registry,
      claims,
      expiredClaims: [...step.registry.expiredClaims, ...expired],
    },
    issues: [...step.issues, ...issues],
  }
}

function apply(registry: AgentRegistry, event: AgentEvent): AgentStep {
  switch (event.type) {
    case 'agent:started':
      return startAgent(registry, event)
    case 'agent:spawning':
      return claimChild(registry, event)
    case 'agent:completed':
      return completeAgent(registry, event)
    case 'agent:failed':
      return updateAgent(registry, event.agentId, { status: 'error', lastUpdateTime: event.at })
    case 'clock:advanced':
      return { registry, issues: [] }
    default:
      return assertNever(event)
  }
}

function startAgent(registry: AgentRegistry, event: AgentStartedEvent): AgentStep {
  const { agentId, at, modelId, estimatedInputTokens, maxInputTokens } = event
  const news = known({ modelId, estimatedInputTokens, maxInputTokens, lastUpdateTime: at })
  if (findAgent(registry, agentId)) return updateAgent(registry, agentId, { ...news, status: 'streaming' })
  const { claims, match } = matchStart(registry.claims, event)
  const agents = [...registry.agents, newAgent(registry, event, match)]
  const issues = match?.ambiguous ? [{ code: 'ambiguous-claim' as const, agentId }] : []
  return { registry: { ...registry, claims, agents }, issues }
}

function matchStart(claims: Claims, event: AgentStartedEvent): ReturnType<typeof matchClaim> {
  const { agentId, name, agentTypeHash, firstUserMessageHash, toolUseId, at } = event
  const { promptHashes = firstUserMessageHash === undefined ? [] : [firstUserMessageHash] } = event
  const own = claims.filter(({ parentAgentId }) => parentAgentId === agentId)
  const others = own.length === 0 ? claims : claims.filter((claim) => !own.includes(claim))
  const evidence = known({ agentName: name, agentTypeHash, promptHashes, toolUseId })
  const matched = matchClaim(others, evidence, at)
  return matched.match
    ? { ...matched, claims: claims.filter((claim) => claim !== matched.match?.claim) }
    : { claims, match: null }
}

function newAgent(registry: AgentRegistry, event: AgentStartedEvent, match: ClaimMatch | null): AgentEntry {
  const { agentId: id, at, type, promptHashes, toolUseId, name = 'unknown', isMain = false, ...facts } = event
  const parentAgentId = match?.claim.parentAgentId
  const parent = parentAgentId === undefined ? undefined : findAgent(registry, parentAgentId)
  return known({
    ...facts,
    id,
    name,
    isMain: isMain && match === null,
    startTime: at,
    lastUpdateTime: at,
    inputTokens: 0,
    outputTokens: 0,
    status: 'streaming' as const,
    firstAssistantResponseHash: null,
    conversationHash: null,
    parentAgentId,
    parentConversationHash: match?.claim.parentConversationHash ?? parent?.conversationHash ?? null,
    childConversationHashes: [],
  })
}

function claimChild(registry: AgentRegistry, event: AgentSpawningEvent): AgentStep {
  const { type, agentId, at, ...claim } = event
  const parent = findAgent(registry, agentId)
  if (!parent) return { registry, issues: [{ code: 'unknown-agent', agentId }] }
  const made = known({
    ...claim,
    parentAgentId: agentId,
    parentAgentTypeHash: parent.agentTypeHash ?? '',
    parentConversationHash: parent.conversationHash ?? undefined,
  })
  return { registry: { ...registry, claims: createClaim(registry.claims, made, at) }, issues: [] }
}

function completeAgent(registry: AgentRegistry, event: AgentCompletedEvent): AgentStep {
  const { agentId, at, inputTokens, outputTokens, responseText } = event
  const agent = findAgent(registry, agentId)
  if (!agent) return { registry, issues: [{ code: 'unknown-agent', agentId }] }
  const completions = registry.agents.filter(({ completionOrder }) => completionOrder !== undefined).length
  const identity = identityOf(agent, responseText)
  const step = updateAgent(registry, agentId, {
    ...known({ inputTokens, outputTokens }),
    ...identity,
    status: 'complete',
    lastUpdateTime: at,
    completionOrder: agent.completionOrder ?? completions,
  })
  return identity.conversationHash ? { ...step, registry: linked(step.registry, agentId) } : step
}

/** The first response makes the hash, and later ones do not change it. */
function identityOf(
  { agentTypeHash, firstUserMessageHash, firstAssistantResponseHash }: AgentEntry,
  responseText: string | undefined,
): Partial<Pick<AgentEntry, 'firstAssistantResponseHash' | 'conversationHash'>> {
  if (responseText === undefined || firstAssistantResponseHash !== null) return {}
  const responseHash = hashFirstAssistantResponse(responseText)
  if (agentTypeHash === undefined || firstUserMessageHash === undefined)
    return { firstAssistantResponseHash: responseHash }
  return {
    firstAssistantResponseHash: responseHash,
    conversationHash: computeConversationHash(agentTypeHash, firstUserMessageHash, responseHash),
  }
}

/** An agent has got its hash: its claims, its children and its parent learn it. */
function linked(registry: AgentRegistry, agentId: string): AgentRegistry {
  const agent = findAgent(registry, agentId)
  const parentConversationHash = agent?.conversationHash
  if (!agent || typeof parentConversationHash !== 'string') return registry
  const toldClaims = (claims: Claims): Claims =>
    claims.map((claim) => (claim.parentAgentId === agentId ? { ...claim, parentConversationHash } : claim))
  const agents = registry.agents.map((other) =>
    other.parentAgentId === agentId ? { ...other, parentConversationHash } : other,
  )
  return {
    agents: agents.map((other) =>
      other.id === agent.parentAgentId
        ? { ...other, childConversationHashes: hashesOfChildren(agents, other.id) }
        : other,
    ),
    claims: toldClaims(registry.claims),
    expiredClaims: toldClaims(registry.expiredClaims),
  }
}

function hashesOfChildren(agents: readonly AgentEntry[], parentId: string): readonly string[] {
  return agents.flatMap(({ parentAgentId, conversationHash }) =>
    parentAgentId === parentId && conversationHash !== null ? [conversationHash] : [],
  )
}

function findAgent({ agents }: AgentRegistry, id: string): AgentEntry | undefined {
  return agents.find((agent) => agent.id === id)
}

function updateAgent(registry: AgentRegistry, agentId: string, news: Partial<AgentEntry>): AgentStep {
  const agent = findAgent(registry, agentId)
  if (!agent) return { registry, issues: [{ code: 'unknown-agent', agentId }] }
  const isNews = Object.entries(news).some(([name, value]) => Reflect.get(agent, name) !== value)
  if (!isNews) return { registry, issues: [] }
  const agents = registry.agents.map((other) => (other === agent ? { ...agent, ...news } : other))
  return { registry: { ...registry, agents }, issues: [] }
}

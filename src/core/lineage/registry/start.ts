import type { Draft } from 'immer'
import { omitUndefined } from '../../json/fields.ts'
import { NO_USAGE } from '../../selectors/usage.ts'
import {
  bestMatch,
  type ChildEvidence,
  type Claim,
  type ClaimMatch,
  type Claims,
  findClaimOfCall,
  isStrong,
  UNKNOWN_NAME,
} from '../claims.ts'
import { changed, produce } from '../produce.ts'
import type {
  AgentEntry,
  AgentIssue,
  AgentRegistry,
  AgentStartedEvent,
  AgentStep,
  StartedRequest,
  TrackedAgent,
} from './agent.ts'
import {
  addAgent,
  advanceTime,
  findAgent,
  listOf,
  rootId,
  updateAgent,
  updateAgentAt,
  withClaims,
} from './entries.ts'

/** Handles a request of an agent: the first one registers the agent. */
export function startAgent(registry: AgentRegistry, event: AgentStartedEvent): AgentStep {
  const agent = findAgent(registry, event.agentId)
  const step = agent
    ? { registry: continueAgent(registry, agent, event), issues: [] }
    : registerAgent(registry, newAgent(event))
  const isNewUser = agent?.userHash === undefined && event.userHash !== undefined
  return isNewUser ? { ...step, registry: withoutStrangers(step.registry, event) } : step
}

/** An agent that named its parent before the user of the parent was known may be of another user. */
function withoutStrangers(registry: AgentRegistry, parent: AgentStartedEvent): AgentRegistry {
  const children = listOf(registry).childrenOf(parent.agentId)
  return children
    .filter(({ agent }) => isOfOtherUser(parent, agent))
    .reduce((next, { position }) => updateAgentAt(next, position, unlink), registry)
}

function unlink(child: Draft<AgentEntry>): void {
  delete child.parentAgentId
  child.parentConversationHash = null
}

function continueAgent(
  registry: AgentRegistry,
  agent: TrackedAgent,
  event: AgentStartedEvent,
): AgentRegistry {
  const { at, modelId, estimatedInputTokens, maxInputTokens, toolUseId, requestId } = event
  const { parentAgentId, openRequests = [], requests = [] } = agent
  const userHash = event.userHash ?? userOf(agent)
  const newCall = agent.toolUseIds.some((id) => id === toolUseId) ? undefined : toolUseId
  const unclaimed = removeClaimsOfCalls(registry, { parentAgentId, toolUseIds: [newCall], userHash })
  return updateAgent(unclaimed, agent, (draft: Draft<TrackedAgent>) => {
    Object.assign(draft, omitUndefined({ modelId, estimatedInputTokens, maxInputTokens }))
    // An agent is of its first user, whoever knows its id.
    if (agent.userHash === undefined) Object.assign(draft, omitUndefined({ userHash }))
    else if (userHash !== userOf(agent)) Object.assign(draft, { lastUserHash: userHash })
    if (newCall !== undefined) draft.toolUseIds.push(newCall)
    if (requestId !== undefined && !openRequests.includes(requestId)) {
      draft.openRequests = [...openRequests, requestId]
      draft.requests = [...requests, startedRequest(requestId, at, userHash)]
    }
    draft.status = 'streaming'
    advanceTime(draft, at)
  })
}

function startedRequest(requestId: string, at: number, userHash: string | undefined): StartedRequest {
  return omitUndefined({ requestId, at, userHash })
}

/** Returns the person of an open request, or of the last request. */
export function userOf(agent: TrackedAgent, requestId?: string): string | undefined {
  const request = agent.requests?.find((each) => each.requestId === requestId)
  return request ? request.userHash : (agent.lastUserHash ?? agent.userHash)
}

function newAgent(event: AgentStartedEvent): TrackedAgent {
  const { agentId: id, at, name = UNKNOWN_NAME, isMain = false, modelId, toolUseId } = event
  const { estimatedInputTokens, maxInputTokens, requestId } = event
  const { systemPromptHash, agentTypeHash, firstUserMessageHash, userHash } = event
  return omitUndefined({
    id,
    name,
    isMain,
    isOrphan: false,
    startTime: at,
    lastUpdateTime: at,
    status: 'streaming',
    openRequests: requestId === undefined ? undefined : [requestId],
    requests: requestId === undefined ? undefined : [startedRequest(requestId, at, userHash)],
    inputTokens: 0,
    outputTokens: 0,
    usage: { earlier: NO_USAGE.final, last: NO_USAGE.final },
    modelId,
    estimatedInputTokens,
    maxInputTokens,
    systemPromptHash,
    agentTypeHash,
    firstUserMessageHash,
    userHash,
    promptHashes: promptHashesOf(event),
    toolUseIds: toolUseId === undefined ? [] : [toolUseId],
    parentAgentId: event.parentAgentId === id ? undefined : event.parentAgentId,
    firstAssistantResponseHash: null,
    conversationHash: null,
    isDistinct: null,
    parentConversationHash: null,
    childConversationHashes: [],
  })
}

function promptHashesOf({ promptHashes = [], firstUserMessageHash }: AgentStartedEvent): readonly string[] {
  const hashes = new Set(promptHashes)
  if (firstUserMessageHash !== undefined) hashes.add(firstUserMessageHash)
  return [...hashes]
}

/** Adds a new agent and links it to the parent whose claim it answers. */
function registerAgent(registry: AgentRegistry, agent: AgentEntry): AgentStep {
  if (agent.isMain) return { registry: addAgent(registry, agent), issues: [] }
  if (agent.parentAgentId !== undefined) {
    const parent = findAgent(registry, agent.parentAgentId)
    if (!isOfOtherUser(parent, agent)) return registerChild(registry, agent, agent.parentAgentId)
    const { parentAgentId: _, ...unnamed } = agent
    return registerAgent(registry, unnamed)
  }
  const open = bestMatch(registry.claims, evidenceOf(agent), isNotBelow(registry, agent))
  const expired = expiredMatch(registry, agent)
  const isNamed = expired?.via === 'toolUseId' && open?.via !== 'toolUseId'
  const match = isNamed ? expired : open
  // An open claim that matches by name alone may belong to another agent. An expired prompt is stronger.
  if (
    expired &&
    !isNamed &&
    !isStrong(open?.via) &&
    (!open || (isStrong(expired.via) && isRecent(expired.claim, agent)))
  )
    return addOrphan(registry, agent, { code: 'late-child', agentId: agent.id, claim: expired.claim })
  if (!match) return { registry: addAgent(registry, agent), issues: [] }
  const { claim, ambiguous } = match
  const issue: AgentIssue = { code: 'ambiguous-claim', agentId: agent.id, claim }
  if (ambiguous && registry.onAmbiguous === 'none') return addOrphan(registry, agent, issue)
  const child = produce(agent, (draft) => linkChild(draft, claim))
  const unclaimed = removeClaimsOfCalls(removeClaim(registry, claim), child)
  return { registry: addAgent(unclaimed, child), issues: ambiguous ? [issue] : [] }
}

/** A client that knows the id of an agent can name it as the parent. A call of the same user still links the child. */
function isOfOtherUser(parent: Pick<AgentEntry, 'userHash'> | undefined, { userHash }: AgentEntry): boolean {
  return parent?.userHash !== undefined && userHash !== undefined && parent.userHash !== userHash
}

/** Links an agent to the parent that its request names. The parent's claim is then answered, also if another one matches better. */
function registerChild(registry: AgentRegistry, agent: AgentEntry, parentAgentId: string): AgentStep {
  const own = registry.claims.filter((claim) => claim.parentAgentId === parentAgentId)
  const claim = bestMatch(own, evidenceOf(agent))?.claim
  const parentHash = findAgent(registry, parentAgentId)?.conversationHash ?? null
  const child = claim
    ? produce(agent, (draft) => linkChild(draft, claim))
    : { ...agent, parentConversationHash: parentHash }
  return { registry: addAgent(claim ? removeClaim(registry, claim) : registry, child), issues: [] }
}

/** An agent whose entry the host dropped may return as the ancestor of its own callers. It must not become their child. */
function isNotBelow(registry: AgentRegistry, { id }: AgentEntry): (claim: Claim) => boolean {
  const isParent = listOf(registry).childrenOf(id).length > 0
  return ({ parentAgentId }) => (isParent ? rootId(registry, parentAgentId) : parentAgentId) !== id
}

function addOrphan(registry: AgentRegistry, agent: AgentEntry, issue: AgentIssue): AgentStep {
  return { registry: addAgent(registry, { ...agent, isOrphan: true }), issues: [issue] }
}

/** Finds the expired claim that the agent answers by its call, or would have answered in time. */
function expiredMatch(registry: AgentRegistry, agent: AgentEntry): ClaimMatch | null {
  return bestMatch(registry.expiredClaims, evidenceOf(agent), isNotBelow(registry, agent))
}

/**
 * Whether a claim expired less than one lifetime before the agent started. Hosts reuse prompts, so an older one is
 * weaker than any open claim.
 */
function isRecent({ timestamp, expiresAt }: Claim, { startTime }: AgentEntry): boolean {
  return startTime < expiresAt + (expiresAt - timestamp)
}

/** Returns the facts of an agent's first request that show which call started it. */
export function evidenceOf(agent: AgentEntry): ChildEvidence {
  const { name: agentName, agentTypeHash, promptHashes, toolUseIds, userHash } = agent
  return omitUndefined({ agentName, agentTypeHash, promptHashes, toolUseId: toolUseIds[0], userHash })
}

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
    userHash,
  }: {
    readonly parentAgentId?: string | undefined
    readonly toolUseIds: readonly (string | undefined)[]
    readonly userHash?: string | undefined
  },
): AgentRegistry {
  return toolUseIds.reduce((left, toolUseId) => {
    const call = { parentAgentId, toolUseId }
    const claim = findClaimOfCall(left.claims, call) ?? findClaimOfCall(left.expiredClaims, call)
    return claim && claim.userHash === userHash ? removeClaim(left, claim) : left
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

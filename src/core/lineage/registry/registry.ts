import type { Draft } from 'immer'
import { computeConversationHash, hashFirstAssistantResponse } from '../../identity/hashes.ts'
import { omitUndefined, pickDefined } from '../../json/fields.ts'
import { assertNever } from '../../json/values.ts'
import { addTokens } from '../../selectors/usage.ts'
import { TOKEN_COUNTS } from '../../state/session.ts'
import {
  bestMatch,
  type Claim,
  createClaim,
  expireClaims,
  findClaimOfCall,
  isStrong,
  type MatchOptions,
} from '../claims.ts'
import type {
  AgentCompletedEvent,
  AgentEntry,
  AgentEvent,
  AgentIssue,
  AgentRegistry,
  AgentStep,
  TrackedAgent,
  TrackedFailedEvent,
  TrackedSpawningEvent,
} from './agent.ts'
import { AgentList } from './agent-list.ts'
import { advanceTime, findAgent, listOf, rootId, updateAgent, withAgents, withClaims } from './entries.ts'
import {
  evidenceOf,
  linkChild,
  propagateHash,
  removeClaim,
  removeClaimsOfCalls,
  startAgent,
  userOf,
} from './start.ts'

/** Returns the registry before the first event. */
export function createAgentRegistry({ onAmbiguous = 'oldest' }: MatchOptions = {}): AgentRegistry {
  return { agents: [], claims: [], expiredClaims: [], onAmbiguous }
}

/** Folds an event into the registry. If nothing changes, it returns the same reference. Throws like `stepAgentEvent`. */
export function reduceAgentEvent(registry: AgentRegistry, event: AgentEvent): AgentRegistry {
  return stepAgentEvent(registry, event).registry
}

/**
 * Folds an event into the registry and returns the issues of the event. First, claims expire at the event's time.
 * Throws a `RangeError` if the time is not a finite number, or if a claim's lifetime is negative or not finite.
 * Throws a `TypeError` that names the type if it does not know the event's type. It does not check the other fields:
 * the host makes the events.
 */
export function stepAgentEvent(registry: AgentRegistry, event: AgentEvent): AgentStep {
  const { claims, expired } = expireClaims(registry.claims, event.at)
  if (expired.length === 0) return applyEvent(registry, event)
  const expiredClaims = [...registry.expiredClaims, ...expired]
  const step = applyEvent(withClaims(registry, { claims, expiredClaims }), event)
  const issues = expired.map((claim) => ({
    code: 'expired-claim' as const,
    agentId: claim.parentAgentId,
    claim,
  }))
  return { registry: step.registry, issues: [...issues, ...step.issues] }
}

function applyEvent(registry: AgentRegistry, event: AgentEvent): AgentStep {
  switch (event.type) {
    case 'agent:started':
      return startAgent(registry, event)
    case 'agent:spawning':
      return stepKnownAgent(registry, event.agentId, (parent) => spawnChild(registry, parent, event))
    case 'agent:completed':
      return stepKnownAgent(registry, event.agentId, (agent) =>
        withoutIssues(isOver(agent, event) ? registry : completeAgent(registry, agent, event)),
      )
    case 'agent:failed':
      return stepKnownAgent(registry, event.agentId, (agent) =>
        withoutIssues(isOver(agent, event) ? registry : failAgent(registry, agent, event)),
      )
    case 'clock:advanced':
      return withoutIssues(registry)
    default:
      return assertNever(event)
  }
}

type EndEvent = AgentCompletedEvent | TrackedFailedEvent

/** Whether an event ends no open request, and adds nothing to the one that ended last. */
function isOver({ openRequests, endedRequest, status }: AgentEntry, { requestId }: EndEvent): boolean {
  if (requestId === undefined) return false
  if (openRequests) return !openRequests.includes(requestId)
  // The open request of a streaming agent began without an id.
  return status !== 'streaming' && requestId !== endedRequest
}

/** An agent has its last status as soon as none of its requests is open. */
function endRequest(agent: Draft<TrackedAgent>, event: EndEvent, status: AgentEntry['status']): void {
  const { requestId, at } = event
  const isLost = 'isLost' in event
  const open = requestId === undefined ? [] : agent.openRequests?.filter((id) => id !== requestId)
  if (requestId === undefined) delete agent.endedRequest
  else agent.endedRequest = requestId
  const { requests = [] } = agent
  if (open?.length) {
    agent.openRequests = open
    agent.requests = requests
      .filter((request) => request.requestId !== requestId)
      .map((request) => (isLost ? request : { ...request, since: status }))
  } else {
    const since = requests.find((request) => request.requestId === requestId)?.since
    delete agent.openRequests
    delete agent.requests
    agent.status = (isLost ? since : undefined) ?? status
  }
  advanceTime(agent, at)
}

function failAgent(registry: AgentRegistry, agent: AgentEntry, event: TrackedFailedEvent): AgentRegistry {
  return updateAgent(registry, agent, (draft) => endRequest(draft, event, 'error'))
}

function stepKnownAgent(
  registry: AgentRegistry,
  agentId: string,
  step: (agent: AgentEntry) => AgentStep,
): AgentStep {
  const agent = findAgent(registry, agentId)
  return agent ? step(agent) : { registry, issues: [{ code: 'unknown-agent', agentId }] }
}

function withoutIssues(registry: AgentRegistry): AgentStep {
  return { registry, issues: [] }
}

/** Ends a response of an agent. A second completion of the same response adds facts to the first. */
function completeAgent(
  registry: AgentRegistry,
  agent: AgentEntry,
  event: AgentCompletedEvent,
): AgentRegistry {
  const isRepeated = agent.status === 'complete'
  const isFirst = isRepeated ? agent.usage.earlier.messages === 0 : agent.completionOrder === undefined
  const hadHash = agent.firstAssistantResponseHash !== null
  const next = updateAgent(registry, agent, (draft) => {
    addUsage(draft, event, isRepeated)
    if (isFirst && !hadHash) hashResponse(draft, event)
    endRequest(draft, event, 'complete')
    draft.completionOrder ??= listOf(registry).nextCompletion
  })
  return isFirst && !hadHash ? propagateHash(next, agent.id) : next
}

function addUsage(agent: Draft<AgentEntry>, event: AgentCompletedEvent, isRepeated: boolean): void {
  const { usage } = agent
  if (!isRepeated) {
    usage.earlier = addTokens(usage.earlier, usage.last)
    usage.last = { messages: 1 }
  }
  Object.assign(usage.last, pickDefined(event, TOKEN_COUNTS))
  Object.assign(agent, pickDefined(event, ['inputTokens', 'outputTokens']))
}

/** The RFC hashes the first response. The text of a later response would give a wrong hash. */
function hashResponse(agent: Draft<AgentEntry>, { responseText }: AgentCompletedEvent): void {
  if (responseText === undefined) return
  const { agentTypeHash, firstUserMessageHash } = agent
  const responseHash = hashFirstAssistantResponse(responseText)
  agent.firstAssistantResponseHash = responseHash
  agent.isDistinct = responseText.trim() !== ''
  if (agentTypeHash !== undefined && firstUserMessageHash !== undefined)
    agent.conversationHash = computeConversationHash(agentTypeHash, firstUserMessageHash, responseHash)
}

/**
 * Drops whole trees of agents that are over. No agent of such a tree streams or has an open claim, and its last event
 * came before the time (ms since the epoch). It also drops the expired claims that ended before the time. If nothing
 * is dropped, it returns the same reference. A dropped agent that sends another request counts as a new agent. An
 * agent whose request ended without an event streams for ever: send `agent:failed` for it. It takes time that grows
 * with the registry.
 *
 * Throws a `RangeError` if the time is not a finite number.
 */
export function forgetAgents(
  registry: AgentRegistry,
  { before }: { readonly before: number },
): AgentRegistry {
  if (!Number.isFinite(before)) throw new RangeError('before: pass the time as ms since the epoch')
  const agents = listOf(registry).toArray()
  const roots = new Map(agents.map(({ id }) => [id, rootId(registry, id)]))
  const rootOf = (id: string): string => roots.get(id) ?? id
  const kept = new Set([
    ...agents.filter((agent) => isActive(agent, before)).map(({ id }) => rootOf(id)),
    ...registry.claims.map(({ parentAgentId }) => rootOf(parentAgentId)),
  ])
  const left = agents.filter(({ id }) => kept.has(rootOf(id)))
  const expiredClaims = registry.expiredClaims.filter(({ expiresAt }) => expiresAt >= before)
  const isUnchanged = expiredClaims.length === registry.expiredClaims.length
  const next = isUnchanged ? registry : withClaims(registry, { expiredClaims })
  return left.length === agents.length ? next : withAgents(next, AgentList.of(left))
}

function isActive({ status, lastUpdateTime }: AgentEntry, before: number): boolean {
  return status === 'streaming' || lastUpdateTime >= before
}

/**
 * How long before its parent's call a child without the call's id may have started, in ms, because clocks differ. A
 * gateway knows a call only when the answer has ended. Then the child may have started since the request began.
 */
const EARLY_START_MS = 5_000

/**
 * Handles a parent's call of a child. If the child has already started, it is linked; otherwise a claim waits for it.
 * If several early children match, `onAmbiguous` decides: the first one, or none.
 */
function spawnChild(
  registry: AgentRegistry,
  parent: TrackedAgent,
  { type, agentId, at, isOfWholeAnswer, requestId, ...call }: TrackedSpawningEvent,
): AgentStep {
  const facts = omitUndefined({
    ...call,
    parentAgentId: parent.id,
    parentAgentTypeHash: parent.agentTypeHash ?? '',
    parentConversationHash: parent.conversationHash ?? undefined,
    userHash: userOf(parent, requestId),
  })
  if (isAnswered(registry, facts)) return { registry, issues: [] }
  const claims = createClaim(registry.claims, facts, at)
  if (claims === registry.claims) return { registry, issues: [] }
  const request = parent.requests?.find((each) => each.requestId === requestId)
  const began = isOfWholeAnswer && parent.status === 'streaming' ? (request?.at ?? parent.lastUpdateTime) : at
  // A repeated call may have added facts to its claim. That claim is not the last one.
  const claim = findClaimOfCall(claims, facts) ?? claims.at(-1)
  const waiting = withClaims(registry, { claims })
  const [child, ...others] = claim ? earlyChildren(waiting, claim, began) : []
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
function earlyChildren(registry: AgentRegistry, claim: Claim, began: number): readonly AgentEntry[] {
  const { timestamp, expiresAt, toolUseId } = claim
  const early = listOf(registry).unlinkedFor(toolUseId, [
    Math.min(began, timestamp - EARLY_START_MS),
    expiresAt,
  ])
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

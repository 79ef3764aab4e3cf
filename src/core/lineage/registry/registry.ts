import type { Draft } from 'immer'
import { computeConversationHash, hashFirstAssistantResponse } from '../../identity/hashes.ts'
import { omitUndefined } from '../../json/fields.ts'
import { assertNever } from '../../json/values.ts'
import { addTokens } from '../../selectors/usage.ts'
import { expireClaims, type MatchOptions } from '../claims.ts'
import type { AgentCompletedEvent, AgentEntry, AgentEvent, AgentRegistry, AgentStep } from './agent.ts'
import { AgentList } from './agent-list.ts'
import { advanceTime, findAgent, listOf, rootId, updateAgent, withAgents, withClaims } from './entries.ts'
import { propagateHash } from './link.ts'
import { spawnChild } from './spawn.ts'
import { startAgent } from './start.ts'

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
        withoutIssues(completeAgent(registry, agent, event)),
      )
    case 'agent:failed':
      return stepKnownAgent(registry, event.agentId, (agent) =>
        withoutIssues(failAgent(registry, agent, event.at)),
      )
    case 'clock:advanced':
      return withoutIssues(registry)
    default:
      return assertNever(event)
  }
}

function failAgent(registry: AgentRegistry, agent: AgentEntry, at: number): AgentRegistry {
  return updateAgent(registry, agent, (draft) => {
    draft.status = 'error'
    advanceTime(draft, at)
  })
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
    draft.status = 'complete'
    draft.completionOrder ??= listOf(registry).nextCompletion
    advanceTime(draft, event.at)
  })
  return isFirst && !hadHash ? propagateHash(next, agent.id) : next
}

function addUsage(agent: Draft<AgentEntry>, event: AgentCompletedEvent, isRepeated: boolean): void {
  const { usage } = agent
  const tokens = omitUndefined({ inputTokens: event.inputTokens, outputTokens: event.outputTokens })
  if (!isRepeated) {
    usage.earlier = addTokens(usage.earlier, usage.last)
    usage.last = { messages: 1 }
  }
  Object.assign(usage.last, tokens)
  Object.assign(agent, tokens)
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

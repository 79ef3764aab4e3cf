import type { AgentEntry, AgentRegistry } from './agent.ts'
import { AgentList } from './agent-list.ts'
import { listOf, rootId, withAgents, withClaims } from './entries.ts'

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

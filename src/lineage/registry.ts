import { assertNever } from '../json/assert-never.ts'
import type { AgentEvent, AgentRegistry } from './agent.ts'
import { callChild } from './call-child.ts'
import { expireClaims } from './claim.ts'
import { completeAgent } from './complete.ts'
import { type AgentStep, stepOf, withNews } from './entries.ts'
import type { MatchOptions } from './match.ts'
import { startAgent } from './start.ts'

/** Returns the registry before the first event. */
export function createAgentRegistry({ onAmbiguous = 'oldest' }: MatchOptions = {}): AgentRegistry {
  return { agents: [], claims: [], expiredClaims: [], onAmbiguous }
}

/** Folds an event into the registry. Nothing changed, same reference. Throws like `stepAgentEvent`. */
export function reduceAgentEvent(registry: AgentRegistry, event: AgentEvent): AgentRegistry {
  return stepAgentEvent(registry, event).registry
}

/**
 * Folds an event into the registry, and says what there is to say about it. Claims expire with the event's time, before
 * anything else. Throws a `RangeError` for a time that is no number, and for a claim's lifetime that is not finite or negative; a
 * `TypeError` that names its type for an event of another type. Events are the host's own: beyond that they are not looked at.
 */
export function stepAgentEvent(registry: AgentRegistry, event: AgentEvent): AgentStep {
  const { claims, expired } = expireClaims(registry.claims, event.at)
  if (expired.length === 0) return apply(registry, event)
  const expiredClaims = [...registry.expiredClaims, ...expired]
  const step = apply({ ...registry, claims, expiredClaims }, event)
  const issues = expired.map((claim) => ({
    code: 'expired-claim' as const,
    agentId: claim.parentAgentId,
    claim,
  }))
  return { registry: step.registry, issues: [...issues, ...step.issues] }
}

function apply(registry: AgentRegistry, event: AgentEvent): AgentStep {
  switch (event.type) {
    case 'agent:started':
      return startAgent(registry, event)
    case 'agent:spawning':
      return stepOf(registry, event.agentId, (parent) => callChild(registry, parent, event))
    case 'agent:completed':
      return stepOf(registry, event.agentId, (agent) => quiet(completeAgent(registry, agent, event)))
    case 'agent:failed':
      return stepOf(registry, event.agentId, (agent) =>
        quiet(withNews(registry, agent, event.at, { status: 'error' })),
      )
    case 'clock:advanced':
      return quiet(registry)
    default:
      return assertNever(event)
  }
}

function quiet(registry: AgentRegistry): AgentStep {
  return { registry, issues: [] }
}

// Claims: link a child to its parent by hand.

// The registry: fold the events of a gateway.
export type {
  AgentCompletedEvent,
  AgentEntry,
  AgentEvent,
  AgentFailedEvent,
  AgentIssue,
  AgentRegistry,
  AgentSpawningEvent,
  AgentStartedEvent,
  AgentStep,
  ClockAdvancedEvent,
} from './agent.ts'
export { type Claim, type Claims, createClaim, expireClaims, type NewClaim } from './claim.ts'
export {
  type ChildEvidence,
  type ClaimMatch,
  type MatchedBy,
  type MatchOptions,
  matchClaim,
} from './match.ts'
export { createAgentRegistry, reduceAgentEvent, stepAgentEvent } from './registry.ts'
export { type SessionClaimsOptions, sessionClaims } from './session-claims.ts'
// Sources of claims: a tool call, a session.
export { type SpawnCall, spawnCall } from './spawn-call.ts'
// The tree: show the agents.
export { buildAgentTree } from './tree.ts'

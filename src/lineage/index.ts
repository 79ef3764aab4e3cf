export type {
  AgentCompletedEvent,
  AgentEntry,
  AgentEvent,
  AgentFailedEvent,
  AgentIssue,
  AgentRegistry,
  AgentSpawningEvent,
  AgentStartedEvent,
  ClockAdvancedEvent,
} from './agent.ts'
export { type Claim, type Claims, createClaim, expireClaims, type NewClaim } from './claim.ts'
export type { AgentStep } from './entries.ts'
export {
  type ChildEvidence,
  type ClaimMatch,
  type MatchedBy,
  type MatchOptions,
  matchClaim,
} from './match.ts'
export { createAgentRegistry, reduceAgentEvent, stepAgentEvent } from './registry.ts'
export { type SessionClaimsOptions, sessionClaims } from './session-claims.ts'
export { type SpawnCall, spawnCall } from './spawn-call.ts'
export { buildAgentTree } from './tree.ts'

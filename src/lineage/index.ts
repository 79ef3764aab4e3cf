// Claims: link a child to its parent by hand.

export {
  CLAIM_LIFETIME_MS,
  type Claim,
  type Claims,
  createClaim,
  expireClaims,
  type NewClaim,
} from './claims/claim.ts'
export {
  type ChildEvidence,
  type ClaimMatch,
  type MatchedBy,
  type MatchOptions,
  matchClaim,
} from './claims/match.ts'
export { type SessionClaimsOptions, sessionClaims } from './claims/session-claims.ts'
// Sources of claims: a tool call, a session.
export { type SpawnCall, type SpawnCallOptions, spawnCall } from './claims/spawn-call.ts'
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
} from './registry/agent.ts'
export { forgetAgents } from './registry/forget.ts'
export { createAgentRegistry, reduceAgentEvent, stepAgentEvent } from './registry/registry.ts'
// Requests: the agent of each request of a gateway.
export {
  createRequestAgents,
  type ModelMessage,
  type ModelRequest,
  type OpenRequest,
  type RequestAgents,
  type RequestAgentsOptions,
  type SavedRequestAgents,
} from './request-agents.ts'
export { answerEvents, requestEvent } from './request-events.ts'
// The tree: show the agents.
export { buildAgentTree } from './tree.ts'

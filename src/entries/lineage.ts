// Claims: link a child to its parent by hand.

export {
  type ChildEvidence,
  CLAIM_LIFETIME_MS,
  type Claim,
  type ClaimMatch,
  type Claims,
  createClaim,
  expireClaims,
  type MatchedBy,
  type MatchOptions,
  matchClaim,
  type NewClaim,
} from '../core/lineage/claims.ts'

// Sources of claims: a tool call, a session.

export {
  type SessionClaimsOptions,
  type SpawnCall,
  type SpawnCallOptions,
  sessionClaims,
  spawnCall,
} from '../gateway/session-claims.ts'

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
} from '../core/lineage/registry/agent.ts'
export {
  createAgentRegistry,
  forgetAgents,
  reduceAgentEvent,
  stepAgentEvent,
} from '../core/lineage/registry/registry.ts'

// Requests: the agent of each request of a gateway.

export { type AnswerChunks, type ModelApi, readAnswer, type StreamedAnswer } from '../gateway/read-answer.ts'
export {
  createRequestAgents,
  type ModelMessage,
  type ModelRequest,
  type OpenRequest,
  type RequestAgents,
  type RequestAgentsOptions,
  type SavedOpenRequest,
  type SavedRequestAgents,
} from '../gateway/request-agents.ts'
export { answerEvents, requestEvent } from '../gateway/request-events.ts'
export { type RequestHeaders, type RequestIds, requestIds } from '../programs/request-ids.ts'

// The tree: show the agents.

export { buildAgentTree } from '../core/lineage/tree.ts'

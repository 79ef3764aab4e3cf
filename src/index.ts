// Events

export type {
  BlockDeltaEvent,
  BlockRemovedEvent,
  BlockUpsertEvent,
  EventOf,
  IncomingBlock,
  SessionEvent,
  SessionEventType,
  SessionIdleEvent,
  SessionUpdatedEvent,
  SubagentCompletedEvent,
  SubagentResumedEvent,
  SubagentSpawnedEvent,
  UsageReportedEvent,
} from './events/event.ts'
export { isConversationEvent, type ParsedEvent, parseSessionEvent } from './events/guard.ts'
export type { EventIssue } from './events/shape.ts'
export {
  type SessionEventResult,
  type SessionEventSchema,
  sessionEventSchema,
} from './events/standard-schema.ts'

// From what programs write to events

export { type Architecture, detectArchitecture } from './sources/architecture.ts'
export { type CombinedTranscript, type SubagentTranscript, TranscriptError } from './sources/combined.ts'
export {
  type DecodedLine,
  type DecodedLines,
  decodeLines,
  endLines,
  initialLines,
  type LineMemory,
} from './sources/jsonl.ts'
export type { Ending, Source, SourceEnd, SourceIssue, SourceIssueCode, Translated } from './sources/source.ts'
export { parseTranscript, type ReadTranscript, readTranscript } from './transcript.ts'

// State

export type {
  AssistantTextBlock,
  BlockOf,
  BlockStatus,
  BlockType,
  ConversationBlock,
  ErrorBlock,
  FileSource,
  SkillLoadBlock,
  SubagentBlock,
  SubagentStatus,
  SystemBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserContentPart,
  UserMessageBlock,
  UserMessageOrigin,
} from './state/block.ts'
export { subagentBlockId, toolResultBlockId } from './state/block.ts'
export {
  type ConversationThread,
  createInitialConversationState,
  type MessageUsage,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
  type TokenUsage,
} from './state/session.ts'

// From events to state

export type { ReducerIssue, ReducerIssueCode } from './reducer/issue.ts'
export {
  foldSessionEvents,
  reduceSessionEvent,
  reduceSessionEvents,
  stepSessionEvent,
} from './reducer/reduce.ts'

// What a state tells

export { findBlock, findConversation, findSubagent, type ToolCall, toolCalls } from './selectors/find.ts'
export { type AgentNode, buildSessionTree, type Lineage } from './selectors/tree.ts'
export { sumUsage, type TokenSum, type UsageSum } from './selectors/usage.ts'

// Whether two states tell the same

export { compareSessions, type SessionComparison } from './parity/compare.ts'
export type { DifferenceKind, SessionDifference, Side } from './parity/difference.ts'
export type { Projected, ProjectionKind } from './parity/projection.ts'

// For a server and its pages

export type { StoreSchedule } from './store/schedule.ts'
export { createSessionStore, type SessionStore, type SessionStoreOptions } from './store/store.ts'
export {
  type Cursor,
  createSyncState,
  type MissingRange,
  missing,
  type Received,
  receive,
  type StampedEvent,
  type SyncIssue,
  type SyncState,
  stamp,
} from './sync/sequence.ts'
export { type PlacedState, restore, type Snapshot, SnapshotError, snapshot } from './sync/snapshot.ts'

// Who a conversation is

export { computeAgentTypeHash, computeToolSetHash, hashSystemPrompt } from './identity/agent-type.ts'
export {
  CanonicalizationError,
  type CanonicalizationErrorCode,
  type CanonicalOptions,
  canonicalize,
  hashCanonical,
} from './identity/canonical.ts'
export {
  type ConversationIdentity,
  computeConversationHash,
  hashFirstAssistantResponse,
  hashUserMessage,
  type IdentifyOptions,
  identifyConversation,
} from './identity/conversation.ts'
export { ConversationLimitError, type ConversationLimits } from './identity/limits.ts'
export {
  type IdentifiedConversation,
  type IdentifySessionOptions,
  identifySession,
} from './identity/session.ts'
export {
  type ConversationIssue,
  type Parsed,
  parseConversationSpec,
  parseStoredTurns,
} from './identity/spec.ts'
export type {
  ConversationSpec,
  RecordedAudio,
  RequestTurn,
  SpokenAudio,
  StoredTurn,
  Turn,
  UploadedAudio,
} from './identity/turn.ts'
export {
  hashTurns,
  type MaterializedTurns,
  materializeTurns,
  RecordedAudioUploadKeyError,
  shortHash,
} from './identity/turns.ts'

// Who started whom

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
} from './lineage/agent.ts'
export { type Claim, type Claims, createClaim, expireClaims, type NewClaim } from './lineage/claim.ts'
export type { AgentStep } from './lineage/entries.ts'
export {
  type ChildEvidence,
  type ClaimMatch,
  type MatchedBy,
  type MatchOptions,
  matchClaim,
} from './lineage/match.ts'
export { createAgentRegistry, reduceAgentEvent, stepAgentEvent } from './lineage/registry.ts'
export { type SessionClaimsOptions, sessionClaims } from './lineage/session-claims.ts'
export { type SpawnCall, spawnCall } from './lineage/spawn-call.ts'
export { buildAgentTree } from './lineage/tree.ts'

// A chat as a log of conversations

export { type AppendedMessage, appendMessage, endConversation } from './conversations/boundary.ts'
export type { Conversation, ConversationMessage, ConversationSettings } from './conversations/conversation.ts'
export { END_SIGNAL, readEndSignal } from './conversations/end-signal.ts'
export type { EndedConversations } from './conversations/ended.ts'
export { type MigratedHistory, migrateHistory } from './conversations/history.ts'
export {
  type ConversationLog,
  createConversationLog,
  currentContext,
  getConversation,
  pastConversations,
  recentConversations,
} from './conversations/log.ts'
export type { ConversationLogIssue } from './conversations/message.ts'
export {
  type ParsedConversationLog,
  type PersistedConversations,
  parseConversationLog,
  serializeConversationLog,
} from './conversations/persisted.ts'
export { type SessionConversationOptions, sessionConversation } from './conversations/session.ts'
export {
  attachSummary,
  type ConversationSummary,
  conversationsToSummarize,
  parseSummary,
  type SummaryIssue,
  type SummaryRequest,
  summaryRequest,
} from './conversations/summary.ts'
export {
  type ConversationTool,
  type ConversationToolCall,
  conversationTools,
  type HandledToolCall,
  handleConversationTool,
} from './conversations/tools.ts'

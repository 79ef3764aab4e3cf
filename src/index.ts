// Reading transcripts and live streams

export { SnapshotError } from './json/snapshot-error.ts'
export type { JsonValue } from './json/values.ts'
export type { Architecture, ArchitectureName } from './programs/program.ts'
export { TranslationContext } from './session/context.ts'
export {
  createReader,
  type ReaderOptions,
  type ReaderStep,
  type SessionReader,
} from './session/create-reader.ts'
export { defineSource } from './session/define-source.ts'
export {
  type CombinedTranscript,
  type SubagentTranscript,
  TranscriptError,
} from './session/input/combined.ts'
export {
  type DecodedLine,
  type DecodedLines,
  decodeLines,
  endLines,
  initialLines,
  type LineMemory,
} from './session/input/jsonl.ts'
export { declareNotes, type Notes, type NotesDeclaration, type NotesOf } from './session/notes/notes.ts'
export {
  type PersonDecision,
  RequestError,
  type RequestErrorCode,
  type RequestReply,
} from './session/request-reply.ts'
export { loadSession, saveSession } from './session/save-session.ts'
export type { Session } from './session/session.ts'
export type {
  Ending,
  ReadIssue,
  Reading,
  RefusedEvent,
  Source,
  SourceEnd,
  SourceIssue,
  SourceIssueCode,
} from './session/source.ts'
export type { Sink, SinkStep } from './sinks/sink.ts'
export { parseTranscript, type ReadTranscript, readTranscript } from './transcript.ts'
export { answerRequest } from './wires/answer-request.ts'
export { anySource } from './wires/any-source.ts'
export { detectArchitecture } from './wires/detect.ts'
export { sourceOf } from './wires/source-of.ts'

// Events

export type {
  BlockDeltaEvent,
  BlockRemovedEvent,
  BlockUpsertEvent,
  BranchAbandonedEvent,
  EventOf,
  IncomingBlock,
  SessionEvent,
  SessionEventType,
  SessionIdleEvent,
  SessionRunningEvent,
  SessionUpdatedEvent,
  SubagentCompletedEvent,
  SubagentResumedEvent,
  SubagentSpawnedEvent,
  TodosUpdatedEvent,
  UsageReportedEvent,
} from './events/event.ts'
export {
  type EventIssue,
  isConversationEvent,
  type ParsedEvent,
  parseSessionEvent,
} from './events/guard.ts'
export {
  type SessionEventResult,
  type SessionEventSchema,
  sessionEventSchema,
} from './events/standard-schema.ts'

// State

export {
  type AssistantTextBlock,
  type BlockOf,
  type BlockStatus,
  type BlockType,
  type ConversationBlock,
  type ErrorBlock,
  type RequestBlock,
  type SkillLoadBlock,
  type SubagentBlock,
  type SystemBlock,
  subagentBlockId,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResultBlockId,
  type UserMessageBlock,
  type UserMessageOrigin,
} from './state/block.ts'
export type { FileSource, UserContentPart } from './state/content.ts'
export type { DiffHunk, FileChange, FileChangeKind } from './state/file-change.ts'
export type { RequestAnswer, RequestFacts, RequestOption, RequestQuestion } from './state/request.ts'
export {
  type Branch,
  type ConversationThread,
  createInitialConversationState,
  type MessageUsage,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
  type TokenUsage,
} from './state/session.ts'
export type { CompletionFacts, SpawnFacts, SubagentFacts, SubagentStatus } from './state/subagent.ts'
export type { Todo, TodoStatus } from './state/todo.ts'
export type { SessionTurn, TurnOutcome, TurnStatus } from './state/turn.ts'

// Reducer

export type { ReducerIssue, ReducerIssueCode } from './reducer/issue.ts'
export {
  foldSessionEvents,
  reduceSessionEvent,
  reduceSessionEvents,
  stepSessionEvent,
} from './reducer/reduce.ts'

// Selectors

export { partialInput } from './selectors/call-input.ts'
export {
  type ConversationCost,
  contextTokens,
  costOf,
  type Price,
  type SessionCost,
} from './selectors/cost.ts'
export { fileChanges, type SessionFileChange } from './selectors/file-changes.ts'
export {
  branches,
  findBlock,
  findConversation,
  findSubagent,
  type ToolCall,
  toolCalls,
} from './selectors/find.ts'
export { type PendingRequest, pendingRequests } from './selectors/requests.ts'
export { type SessionStatus, sessionStatus } from './selectors/status.ts'
export { textOf } from './selectors/text.ts'
export { todos } from './selectors/todos.ts'
export { type AgentNode, buildSessionTree, type Lineage } from './selectors/tree.ts'
export { type AgentUsage, sumUsage, type TokenSum, totalTokens, type UsageSum } from './selectors/usage.ts'

// Store

export type { StoreSchedule } from './store/schedule.ts'
export { createSessionStore, type SessionStore, type SessionStoreOptions } from './store/store.ts'

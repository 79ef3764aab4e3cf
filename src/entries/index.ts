// Reading transcripts and live streams

export { SnapshotError } from '../core/json/check-shape.ts'
export type { JsonValue } from '../core/json/values.ts'
export type { Architecture, ArchitectureName } from '../programs/program.ts'
export { TranslationContext } from '../reading/context.ts'
export { defineSource } from '../reading/define-source.ts'
export {
  type CombinedTranscript,
  type SubagentTranscript,
  TranscriptError,
} from '../reading/input/combined.ts'
export {
  type DecodedLine,
  type DecodedLines,
  decodeLines,
  endLines,
  initialLines,
  type LineMemory,
} from '../reading/input/jsonl.ts'
export { declareNotes, type Notes, type NotesDeclaration, type NotesOf } from '../reading/notes/notes.ts'
export {
  createReader,
  type ReaderOptions,
  type ReaderStep,
  type SessionReader,
} from '../reading/reader.ts'
export { loadSession, saveSession } from '../reading/save-session.ts'
export type { Session } from '../reading/session.ts'
export type {
  Ending,
  ReadIssue,
  Reading,
  RefusedEvent,
  Source,
  SourceEnd,
  SourceIssue,
  SourceIssueCode,
} from '../reading/source.ts'
export type { Sink, SinkStep } from '../sinks/sink.ts'
export { answerRequest } from '../wires/answer-request.ts'
export { anySource } from '../wires/any-source.ts'
export { detectArchitecture } from '../wires/detect.ts'
export {
  type PersonDecision,
  RequestError,
  type RequestErrorCode,
  type RequestReply,
} from '../wires/kit/request-reply.ts'
export { sourceOf } from '../wires/source-of.ts'
export { parseTranscript, type ReadTranscript, readTranscript } from '../wires/transcript.ts'

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
} from '../core/events/event.ts'
export {
  type EventIssue,
  isConversationEvent,
  type ParsedEvent,
  parseSessionEvent,
  type SessionEventResult,
  type SessionEventSchema,
  sessionEventSchema,
} from '../core/events/guard.ts'

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
} from '../core/state/block.ts'
export type { FileSource, UserContentPart } from '../core/state/content.ts'
export type { DiffHunk, FileChange, FileChangeKind } from '../core/state/file-change.ts'
export type { RequestAnswer, RequestFacts, RequestOption, RequestQuestion } from '../core/state/request.ts'
export {
  type Branch,
  type ConversationThread,
  createInitialConversationState,
  type MessageUsage,
  type SessionConversationState,
  type SessionFacts,
  type SubagentState,
  type TokenUsage,
} from '../core/state/session.ts'
export type { CompletionFacts, SpawnFacts, SubagentFacts, SubagentStatus } from '../core/state/subagent.ts'
export type { Todo, TodoStatus } from '../core/state/todo.ts'
export type { SessionTurn, TurnOutcome, TurnStatus } from '../core/state/turn.ts'

// Reducer

export type { ReducerIssue, ReducerIssueCode } from '../core/reducer/issue.ts'
export {
  foldSessionEvents,
  reduceSessionEvent,
  reduceSessionEvents,
  stepSessionEvent,
} from '../core/reducer/reduce.ts'

// Selectors

export { partialInput } from '../core/selectors/call-input.ts'
export {
  type ConversationCost,
  contextTokens,
  costOf,
  type Price,
  type SessionCost,
} from '../core/selectors/cost.ts'
export { fileChanges, type SessionFileChange } from '../core/selectors/file-changes.ts'
export {
  branches,
  findBlock,
  findConversation,
  findSubagent,
  type ToolCall,
  toolCalls,
} from '../core/selectors/find.ts'
export { type PendingRequest, pendingRequests } from '../core/selectors/requests.ts'
export { type SessionStatus, sessionStatus } from '../core/selectors/status.ts'
export { textOf } from '../core/selectors/text.ts'
export { todos } from '../core/selectors/todos.ts'
export { type AgentNode, buildSessionTree, type Lineage } from '../core/selectors/tree.ts'
export {
  type AgentUsage,
  sumUsage,
  type TokenSum,
  totalTokens,
  type UsageSum,
} from '../core/selectors/usage.ts'

// Store

export type { StoreSchedule } from '../core/store/schedule.ts'
export { createSessionStore, type SessionStore, type SessionStoreOptions } from '../core/store/store.ts'

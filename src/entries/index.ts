// Reading transcripts and live streams

export { SnapshotError } from '../core/json/check-shape.ts'
export type { Architecture } from '../programs/program.ts'
export { TranscriptError } from '../reading/input/combined.ts'
export { decodeLines, endLines, initialLines } from '../reading/input/jsonl.ts'
export { createReader, type SessionReader } from '../reading/reader.ts'
export { loadSession, saveSession } from '../reading/save-session.ts'
export type { ReadIssue, Session } from '../reading/source.ts'
export { answerRequest } from '../wires/answer-request.ts'
export { anySource } from '../wires/any-source.ts'
export { detectArchitecture } from '../wires/detect.ts'
export { RequestError } from '../wires/kit/request-reply.ts'
export { sourceOf } from '../wires/source-of.ts'
export { parseTranscript, readTranscript } from '../wires/transcript.ts'

// Events

export type { EventOf, SessionEvent } from '../core/events/event.ts'
export { isConversationEvent, parseSessionEvent, sessionEventSchema } from '../core/events/guard.ts'

// State

export type { BlockOf, ConversationBlock } from '../core/state/block.ts'
export type { FileChange } from '../core/state/file-change.ts'
export type { RequestAnswer } from '../core/state/request.ts'
export {
  type ConversationThread,
  createInitialConversationState,
  type SessionConversationState,
  type SubagentState,
} from '../core/state/session.ts'
export type { Todo } from '../core/state/todo.ts'

// Reducer

export type { ReducerIssue } from '../core/reducer/issue.ts'
export {
  foldSessionEvents,
  reduceSessionEvent,
  reduceSessionEvents,
  stepSessionEvent,
} from '../core/reducer/reduce.ts'

// Selectors

export { partialInput } from '../core/selectors/call-input.ts'
export { contextTokens, costOf, type Price } from '../core/selectors/cost.ts'
export { fileChanges } from '../core/selectors/file-changes.ts'
export { branches, findBlock, findConversation, findSubagent, toolCalls } from '../core/selectors/find.ts'
export { pendingRequests } from '../core/selectors/requests.ts'
export { type SessionStatus, sessionStatus } from '../core/selectors/status.ts'
export { textOf } from '../core/selectors/text.ts'
export { todos } from '../core/selectors/todos.ts'
export { type AgentNode, buildSessionTree } from '../core/selectors/tree.ts'
export { ownTokens, sumUsage, totalTokens } from '../core/selectors/usage.ts'

// Store

export { createSessionStore, type SessionStore } from '../core/store/store.ts'

export { type AppendedMessage, appendMessage, endConversation } from './boundary.ts'
export type { Conversation, ConversationMessage, ConversationSettings } from './conversation.ts'
export { END_SIGNAL, readEndSignal } from './end-signal.ts'
export type { EndedConversations } from './ended.ts'
export { type MigratedHistory, migrateHistory } from './history.ts'
export {
  type ConversationLog,
  createConversationLog,
  currentContext,
  getConversation,
  pastConversations,
  recentConversations,
} from './log.ts'
export type { ConversationLogIssue } from './message.ts'
export {
  type ParsedConversationLog,
  type PersistedConversations,
  parseConversationLog,
  serializeConversationLog,
} from './persisted.ts'
export { type SessionConversationOptions, sessionConversation } from './session.ts'
export {
  attachSummary,
  type ConversationSummary,
  conversationsToSummarize,
  parseSummary,
  type SummaryIssue,
  type SummaryRequest,
  summaryRequest,
} from './summary.ts'
export {
  type ConversationTool,
  type ConversationToolCall,
  conversationTools,
  type HandledToolCall,
  handleConversationTool,
} from './tools.ts'

// The log: append messages, end conversations.

export { type AppendedMessage, appendMessage, endConversation } from './boundary.ts'
export type { Conversation, ConversationMessage, ConversationSettings } from './conversation.ts'
export type { EndedConversations } from './ended.ts'
export { type MigratedHistory, migrateHistory } from './history.ts'
// Read the log: the model's context, past conversations, tools for the model.
export {
  type ConversationLog,
  createConversationLog,
  currentContext,
  getConversation,
  pastConversations,
  recentConversations,
} from './log.ts'
// Store and load the log.
export type { ConversationLogIssue } from './message.ts'
export {
  type ParsedConversationLog,
  type PersistedConversations,
  parseConversationLog,
  serializeConversationLog,
} from './persisted.ts'
// Sources of messages: a session, an older history.
export { type SessionConversationOptions, sessionConversation } from './session.ts'
// Summaries of ended conversations.
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
  END_SIGNAL,
  type HandledToolCall,
  handleConversationTool,
  readEndSignal,
} from './tools.ts'

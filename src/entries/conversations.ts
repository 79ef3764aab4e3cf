// The log: append messages, end conversations.

export { type AppendedMessage, appendMessage, endConversation } from '../conversations/boundary.ts'
export {
  type Conversation,
  type ConversationMessage,
  type ConversationSettings,
  DEFAULT_CONVERSATION_SETTINGS,
} from '../conversations/conversation.ts'
export type { EndedConversations } from '../conversations/ended.ts'
// Read the log: the model's context, past conversations, tools for the model.
export {
  type ConversationLog,
  createConversationLog,
  currentContext,
  getConversation,
  pastConversations,
  recentConversations,
} from '../conversations/log.ts'
// Store and load the log.
export type { ConversationLogIssue } from '../conversations/message.ts'
export {
  type MigratedHistory,
  migrateHistory,
  type ParsedConversationLog,
  type PersistedConversations,
  parseConversationLog,
  serializeConversationLog,
} from '../conversations/persisted.ts'
// Sources of messages: a session, an older history.
export { type SessionConversationOptions, sessionConversation } from '../conversations/session.ts'
// Summaries of ended conversations.
export {
  attachSummary,
  type ConversationSummary,
  conversationsToSummarize,
  parseSummary,
  type SummaryIssue,
  type SummaryRequest,
  summaryRequest,
} from '../conversations/summary.ts'
export {
  type ConversationTool,
  type ConversationToolCall,
  type ConversationToolIssue,
  conversationTools,
  END_SIGNAL,
  type HandledToolCall,
  handleConversationTool,
  readEndSignal,
} from '../conversations/tools.ts'

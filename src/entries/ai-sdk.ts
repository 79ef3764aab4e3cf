export {
  type AISDKChat,
  type SessionChat,
  type SessionChatOptions,
  type SessionChatState,
  sessionChat,
} from '../server/chat/session-chat.ts'
export {
  type ChatHub,
  type UIMessageResponseOptions,
  uiMessageResponse,
} from '../server/chat/ui-message-response.ts'
export type {
  AgentOutput,
  BlockMetadata,
  SessionUIData,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
} from '../sinks/ai-sdk/messages/ui-message.ts'
export type { SessionUIChunk, UIMessageUpdate } from '../sinks/ai-sdk/stream/ui-chunk.ts'
export {
  toUIMessages,
  type UIMessageMemory,
  type UIMessageSink,
  type UIMessagesOptions,
  uiMessageSink,
} from '../sinks/ai-sdk/stream/ui-message-sink.ts'
export type { AISDKVersion } from '../sinks/ai-sdk/version.ts'

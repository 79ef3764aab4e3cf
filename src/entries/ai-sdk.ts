export { toUIMessages, type UIMessagesOptions } from '../sinks/ai-sdk/messages/to-ui-messages.ts'
export type {
  AgentOutput,
  BlockMetadata,
  SessionUIData,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
} from '../sinks/ai-sdk/messages/ui-message.ts'
export type { SessionUIChunk, UIMessageUpdate } from '../sinks/ai-sdk/stream/ui-chunk.ts'
export { type UIMessageMemory, uiMessageSink } from '../sinks/ai-sdk/stream/ui-message-sink.ts'

export { toUIMessages, type UIMessagesOptions } from './messages/to-ui-messages.ts'
export type {
  AgentOutput,
  BlockMetadata,
  SessionUIData,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
} from './messages/ui-message.ts'
export type { SessionUIChunk, UIMessageUpdate } from './stream/ui-chunk.ts'
export { type UIMessageMemory, uiMessageSink } from './stream/ui-message-sink.ts'

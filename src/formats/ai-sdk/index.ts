export { toUIMessages, type UIMessagesOptions } from './to-ui-messages.ts'
export type { SessionUIChunk, UIMessageUpdate } from './ui-chunk.ts'
export type {
  AgentOutput,
  BlockMetadata,
  SessionUIData,
  SessionUIMessage,
  SessionUIMetadata,
  SessionUIPart,
} from './ui-message.ts'
export { type UIMessageMemory, uiMessageSink } from './ui-message-sink.ts'

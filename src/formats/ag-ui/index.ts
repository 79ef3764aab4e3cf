export type { AgUiEvent, AgUiInterrupt, AgUiOutcome, AgUiPatch } from './event.ts'
export type { JsonObject } from './json.ts'
export type { AgUiContentPart, AgUiMessage, AgUiPartSource, AgUiToolCall } from './message.ts'
export { toAgUiMessages } from './messages/to-messages.ts'
export {
  type AgUiAgent,
  type AgUiRequest,
  type AgUiSharedState,
  toAgUiState,
} from './shared-state.ts'
export { type AgUiMemory, agUiSink } from './sink.ts'

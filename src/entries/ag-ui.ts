export { SnapshotError } from '../core/json/check-shape.ts'
export type { JsonValue } from '../core/json/values.ts'
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
export { toAgUiMessages } from '../sinks/ag-ui/messages.ts'
export { type AgUiMemory, agUiSink } from '../sinks/ag-ui/sink.ts'
export type { AgUiEvent, AgUiInterrupt, AgUiOutcome, AgUiPatch } from '../wires/ag-ui/event.ts'
export type {
  AgUiContentPart,
  AgUiMessage,
  AgUiPartSource,
  AgUiToolCall,
  JsonObject,
} from '../wires/ag-ui/message.ts'
export {
  type AgUiAgent,
  type AgUiRequest,
  type AgUiSharedState,
  toAgUiState,
} from '../wires/ag-ui/shared-state.ts'
export { agUiSource } from '../wires/ag-ui/source.ts'

export { SnapshotError } from '../../json/snapshot-error.ts'
export type { JsonValue } from '../../json/values.ts'
export type { Ending, Source, SourceEnd, SourceIssue, SourceIssueCode, Translated } from '../source.ts'
export type { AgUiEvent, AgUiInterrupt, AgUiOutcome, AgUiPatch } from './event.ts'
export type { JsonObject } from './json.ts'
export type { AgUiContentPart, AgUiMessage, AgUiPartSource, AgUiToolCall } from './message.ts'
export { toAgUiMessages } from './messages/to-messages.ts'
export type { AgUiSourceMemory } from './reading/memory.ts'
export {
  type AgUiAgent,
  type AgUiRequest,
  type AgUiSharedState,
  toAgUiState,
} from './shared-state.ts'
export { type AgUiMemory, agUiSink } from './sink.ts'
export { agUiSource } from './source.ts'

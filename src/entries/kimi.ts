export { SnapshotError } from '../core/json/check-shape.ts'
export type { JsonValue } from '../core/json/values.ts'
export {
  type CombinedTranscript,
  type SubagentTranscript,
  TranscriptError,
} from '../reading/input/combined.ts'
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
export { kimiTranscript } from '../wires/kimi/format.ts'
export { kimiSource } from '../wires/kimi/source.ts'

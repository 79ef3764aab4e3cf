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
export { piTranscript } from '../wires/pi/format.ts'
export { piSource } from '../wires/pi/source.ts'

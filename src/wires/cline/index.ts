export { SnapshotError } from '../../json/snapshot-error.ts'
export type { JsonValue } from '../../json/values.ts'
export {
  type CombinedTranscript,
  type SubagentTranscript,
  TranscriptError,
} from '../../session/input/combined.ts'
export type {
  Ending,
  ReadIssue,
  Reading,
  RefusedEvent,
  Source,
  SourceEnd,
  SourceIssue,
  SourceIssueCode,
} from '../../session/source.ts'
export { clineTranscript } from './files.ts'
export { clineSource } from './source.ts'

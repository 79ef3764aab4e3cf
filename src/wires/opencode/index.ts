export { SnapshotError } from '../../json/snapshot-error.ts'
export type { JsonValue } from '../../json/values.ts'
export {
  type CombinedTranscript,
  type SubagentTranscript,
  TranscriptError,
} from '../../session/input/combined.ts'
export type {
  Ending,
  Source,
  SourceEnd,
  SourceIssue,
  SourceIssueCode,
  Translated,
} from '../../session/source.ts'
export { opencodeTranscript } from './files/session-files.ts'
export type { OpencodeMemory } from './memory.ts'
export { opencodeSource } from './source.ts'

// The types and functions that an author of a source or of a sink needs

export type { EventContext, IncomingBlock } from '../core/events/event.ts'
export type { JsonValue } from '../core/json/values.ts'
export { subagentBlockId, toolResultBlockId } from '../core/state/block.ts'
export type { Sink, SinkStep } from '../core/state/sink.ts'
export type { CompletionFacts, SpawnFacts } from '../core/state/subagent.ts'
export { TranslationContext } from '../reading/context.ts'
export { defineSource } from '../reading/define-source.ts'
export type { CombinedTranscript, SubagentTranscript } from '../reading/input/combined.ts'
export type { DecodedLine, DecodedLines, LineMemory } from '../reading/input/jsonl.ts'
export { declareNotes, type Notes, type NotesDeclaration, type NotesOf } from '../reading/notes/notes.ts'
export type {
  Ending,
  Reading,
  RefusedEvent,
  Source,
  SourceEnd,
  SourceIssue,
  SourceIssueCode,
} from '../reading/source.ts'

import type { SessionEvent } from './events/event.ts'
import { type Architecture, formatOf } from './formats/all.ts'
import type { CombinedTranscript } from './formats/combined.ts'
import { SourceReader } from './formats/reader.ts'
import type { Ending, SourceIssue } from './formats/source.ts'
import { reduceSessionEvents } from './reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from './state/session.ts'

/** A whole input as events, in their order, and what there was to say about it. */
export interface ReadTranscript {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
  readonly ending: Ending
}

/**
 * Reads a transcript into events: newline-delimited JSON, an export, or main and subagents combined (as an object, or its
 * JSON). Lines that are broken or not known are issues. Empty input is an empty session. Throws a `TranscriptError` where
 * there is input but not one line that is known, a `RangeError` for another architecture, a `TypeError` for another kind
 * of input.
 */
export function readTranscript(architecture: Architecture, raw: string | CombinedTranscript): ReadTranscript {
  const { source, entries } = formatOf(architecture)
  const reader = new SourceReader(source)
  const events = Array.from(entries(raw), (entry) => reader.read(entry)).flat()
  const end = reader.end()
  return { ...end, events: [...events, ...end.events] }
}

/** Reads a transcript into the state that its events lead to, without keeping them. Throws like `readTranscript`. */
export function parseTranscript(
  architecture: Architecture,
  raw: string | CombinedTranscript,
): SessionConversationState {
  return reduceSessionEvents(createInitialConversationState(), eventsIn(architecture, raw))
}

function* eventsIn(
  architecture: Architecture,
  raw: string | CombinedTranscript,
): Generator<SessionEvent, void> {
  const { source, entries } = formatOf(architecture)
  const reader = new SourceReader(source)
  for (const entry of entries(raw)) yield* reader.read(entry)
  yield* reader.end().events
}

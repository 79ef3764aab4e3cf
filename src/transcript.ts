import type { SessionEvent } from './events/event.ts'
import type { Architecture } from './programs/program.ts'
import { reduceTranslatedEvents } from './reducer/reduce.ts'
import { type CombinedTranscript, TranscriptError } from './session/input/combined.ts'
import { entriesIn } from './session/input/transcripts.ts'
import { SourceReader } from './session/reader.ts'
import type { Ending, SourceIssue } from './session/source.ts'
import { createInitialConversationState, type SessionConversationState } from './state/session.ts'
import { formatOf } from './wires/all.ts'

/** The events of a whole input in order, with its issues and its ending. */
export interface ReadTranscript {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
  readonly ending: Ending
}

/**
 * Reads a transcript into events. The input is newline-delimited JSON, an export, or a combined transcript (an object or its JSON).
 * Broken lines and unknown messages become issues. An empty input is an empty session. Throws a `TranscriptError` if the format knows
 * none of the lines, a `RangeError` for an unknown architecture, a `TypeError` for another kind of input.
 */
export function readTranscript(architecture: Architecture, raw: string | CombinedTranscript): ReadTranscript {
  const { source, transcripts } = formatOf(architecture)
  refusePath(raw)
  const reader = new SourceReader(source, architecture)
  const events = Array.from(entriesIn(raw, transcripts), (entry) => reader.read(entry)).flat()
  const end = reader.end()
  return { ...end, events: [...events, ...end.events] }
}

/** Reads a transcript into a state without keeping the events in memory. Throws the same errors as `readTranscript`. */
export function parseTranscript(
  architecture: Architecture,
  raw: string | CombinedTranscript,
): SessionConversationState {
  return reduceTranslatedEvents(createInitialConversationState(), eventsIn(architecture, raw))
}

/** Returns the events of each entry, and then those of the input's end. */
function* eventsIn(
  architecture: Architecture,
  raw: string | CombinedTranscript,
): Generator<readonly SessionEvent[], void> {
  const { source, transcripts } = formatOf(architecture)
  refusePath(raw)
  const reader = new SourceReader(source, architecture)
  for (const entry of entriesIn(raw, transcripts)) {
    const events = reader.read(entry)
    if (events.length > 0) yield events
  }
  yield reader.end().events
}

const PATH = /^[^\n"{}[\]]{1,4096}\.(?:json|jsonl|ndjson)$/

/** A path in the place of the text is a common mistake. It would be one broken line. */
function refusePath(raw: string | CombinedTranscript): void {
  if (typeof raw === 'string' && PATH.test(raw))
    throw new TranscriptError(
      'not-a-transcript',
      `not a transcript but a path: readSession of agentfold/node reads ${raw}`,
    )
}

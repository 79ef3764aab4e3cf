import type { SessionEvent } from '../core/events/event.ts'
import type { SessionConversationState } from '../core/state/session.ts'
import type { ArchitectureName } from '../programs/program.ts'
import { EntryFold } from '../reading/entry-fold.ts'
import { type CombinedTranscript, TranscriptError } from '../reading/input/combined.ts'
import { portionsOf, withBeginning } from '../reading/input/entries.ts'
import { entriesOf, joinTranscripts, transcriptsOf } from '../reading/input/transcripts.ts'
import type { Ending, ReadIssue, Session, Source } from '../reading/source.ts'
import { keepStreamed } from '../reading/start-over.ts'
import { DEFAULT_ARCHITECTURE, formatOf } from './all.ts'
import { detectEntries, refuseForeign } from './detect.ts'
import { loadedSourceOf } from './sources.ts'
import { unprovenFormat } from './unproven.ts'

/** The events of a whole input in order, with its issues and its ending. */
export interface ReadTranscript {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly ReadIssue[]
  readonly ending: Ending
}

/**
 * Reads a transcript into events. The input is newline-delimited JSON, an export, or a combined transcript (an object
 * or its JSON). Without an architecture, the content shows it. Broken lines and unknown messages become issues. An
 * empty input is an empty session. Throws a `TranscriptError` if the wire knows none of the lines, a `RangeError` for
 * an unknown architecture, a `TypeError` for another kind of input.
 */
export function readTranscript(raw: RawTranscript): ReadTranscript
/** The same, for a known architecture. */
export function readTranscript(architecture: ArchitectureName, raw: RawTranscript): ReadTranscript
export function readTranscript(...input: TranscriptArguments): ReadTranscript {
  const events: SessionEvent[] = []
  const { issues, ending } = read(input, (each) => {
    for (const event of each) events.push(event)
  })
  return { events, issues, ending }
}

/** Reads a transcript into a state without keeping the events in memory. Throws the same errors as `readTranscript`. */
export function parseTranscript(raw: RawTranscript): SessionConversationState
/** The same, for a known architecture. */
export function parseTranscript(architecture: ArchitectureName, raw: RawTranscript): SessionConversationState
export function parseTranscript(...input: TranscriptArguments): SessionConversationState {
  return read(input, () => {}).state
}

/** A transcript that takes the place of what a stream has shown. */
interface ReloadedTranscript extends ReadTranscript {
  readonly session: Session
}

/**
 * Reads a transcript of a session that a stream has shown. The events start at the initial state, and keep what only
 * the stream has. If the stream goes on, the input does not end here.
 */
export function reloadTranscript(
  input: TranscriptArguments,
  { streamed, goesOn }: { readonly streamed: SessionConversationState; readonly goesOn: boolean },
): ReloadedTranscript {
  const events: SessionEvent[] = []
  const { reader, source, issues } = readOpen(input, (each) => {
    for (const event of each) events.push(event)
  })
  if (reader.counts.known === 0)
    throw new TranscriptError('not-a-transcript', 'not a transcript: it has no line of a session')
  const kept = keepStreamed(source, { session: reader.session, events }, streamed)
  if (goesOn) return { ...kept, issues: issues(), ending: 'open' }
  const end = source.end(kept.session)
  return {
    session: end.session,
    events: [...kept.events, ...end.events],
    issues: [...issues(), ...end.issues],
    ending: end.ending,
  }
}

/** The text of a transcript, or a session of several files. */
type RawTranscript = string | CombinedTranscript

export type TranscriptArguments = [architecture: ArchitectureName, raw: RawTranscript] | [raw: RawTranscript]

interface WholeReading extends Omit<ReadTranscript, 'events'> {
  readonly state: SessionConversationState
}

function read(input: TranscriptArguments, onEvents: (events: readonly SessionEvent[]) => void): WholeReading {
  const { reader, issues } = readOpen(input, onEvents)
  const { events, ending } = reader.end()
  onEvents(events)
  return { state: reader.session.state, issues: issues(), ending }
}

interface OpenReading {
  readonly source: Source
  readonly reader: EntryFold
  readonly issues: () => readonly ReadIssue[]
}

/** Reads a transcript without the end of its input. */
function readOpen(
  input: TranscriptArguments,
  onEvents: (events: readonly SessionEvent[]) => void,
): OpenReading {
  const [given, raw] = input.length === 2 ? input : [undefined, input[0]]
  const [first, ...agents] = transcriptsOf(raw)
  const main = { ...first, content: withBeginning(first.content) }
  const shown = detectEntries(entriesOf(main.content, {}))
  const unproven =
    given === undefined && shown === undefined ? unprovenFormat(entriesOf(main.content, {})) : undefined
  const detected = shown ?? unproven?.architecture
  // If no wire recognizes the input, any source will do: it reports that the input is not a transcript.
  const { name, transcripts: rules } = formatOf(
    input.length === 2 ? input[0] : (detected ?? DEFAULT_ARCHITECTURE),
  )
  refusePath(raw)
  const source = loadedSourceOf(name)
  const reader = new EntryFold(source)
  for (const portion of portionsOf(joinTranscripts([main, ...agents], rules), PORTION))
    onEvents(reader.read(portion).events)
  refuseForeign(reader, { given: given && name, detected })
  return { source, reader, issues: () => [...(unproven ? [unproven.issue] : []), ...reader.issues] }
}

/** In entries. The events of a portion can be freed before the next one is read, and a portion costs one copy of each list. */
const PORTION = 4096

const PATH = /^[^\n"{}[\]]{1,4096}\.(?:json|jsonl|ndjson)$/

/** A path in the place of the text is a common mistake. It would be one broken line. */
function refusePath(raw: string | CombinedTranscript): void {
  if (typeof raw === 'string' && PATH.test(raw))
    throw new TranscriptError(
      'not-a-transcript',
      `not a transcript but a path: readSession of agentfold/node reads ${raw}`,
    )
}

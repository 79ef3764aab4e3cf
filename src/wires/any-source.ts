import { isObject } from '../core/json/values.ts'
import { createInitialConversationState, type SessionConversationState } from '../core/state/session.ts'
import { programOf } from '../programs/all.ts'
import { typeName } from '../reading/context.ts'
import { TranscriptError } from '../reading/input/combined.ts'
import { BrokenLine } from '../reading/input/entries.ts'
import { entriesOf, transcriptsOf } from '../reading/input/transcripts.ts'
import { declareNotes, newNotes, notesOf } from '../reading/notes/notes.ts'
import { bufferedItems } from '../reading/notes/persistent-map.ts'
import type { ReadIssue, Reading, Session, Source, SourceEnd } from '../reading/source.ts'
import { truncateDepth } from '../reading/truncate-depth.ts'
import { formatOf } from './all.ts'
import { architectureOf, detectEntries, isForeign } from './detect.ts'
import { allSources, loadedSourceOf } from './sources.ts'
import { type UnprovenFormat, unprovenFormat } from './unproven.ts'

/** The messages before the first one that shows the wire. */
const ANY = /* @__PURE__ */ declareNotes(
  { source: 'any', version: 2 },
  {
    waiting: { bufferOf: 'JSON value' },
    /** The number of waiting messages that an end of the input has reported as unknown. */
    reported: 'finite number',
    /** A message has shown a program that no wire knows. */
    isForeign: 'boolean',
  },
)

/**
 * A source that detects the wire by the first message that only one wire has. From then on, the session is one of
 * that wire's own source. It imports all wires.
 */
export const anySource: Source = {
  get notes() {
    return [ANY, ...allSources().flatMap((source) => source.notes)]
  },
  rulesOf(transcript) {
    const [{ content }] = transcriptsOf(transcript)
    const architecture = detectEntries(entriesOf(content, {}))
    return architecture ? formatOf(architecture).transcripts : {}
  },
  open(state) {
    const source = state && sourceOfState(state)
    return (
      source?.open(state) ?? {
        state: state ?? createInitialConversationState(),
        notes: newNotes(ANY),
      }
    )
  },
  read(session, messages) {
    return detectedSource(session)?.read(session, messages) ?? readUntilDetected(session, messages)
  },
  end(session) {
    return detectedSource(session)?.end(session) ?? endUndetected(session)
  },
}

/**
 * Without a proof, the messages are read as those of the one wire that all of them fit, with an issue. Messages that
 * fit none, or several, are unknown. They wait for a later input.
 */
function endUndetected(session: Session): SourceEnd {
  const { waiting, reported, isForeign: hasForeign } = notesOf(ANY, session.notes)
  const messages = bufferedItems(waiting)
  const unproven = hasForeign ? undefined : onlyFormat(messages)
  if (unproven) return endUnproven(session, messages, unproven)
  const issues = messages.slice(reported).map((message): ReadIssue => {
    const messageType = isObject(message) ? typeName(message.type) : 'no object'
    return { code: 'unknown-message', count: 1, messageType }
  })
  if (issues.length === 0) return { session, events: [], issues, ending: 'open' }
  const notes = newNotes(ANY, { waiting, isForeign: hasForeign, reported: messages.length })
  return { session: { state: session.state, notes }, events: [], issues, ending: 'open' }
}

function onlyFormat(messages: readonly unknown[]): UnprovenFormat | undefined {
  try {
    return unprovenFormat(messages.map((message, at) => ({ line: at + 1, message })))
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}

function endUnproven(
  session: Session,
  messages: readonly unknown[],
  { architecture, issue }: UnprovenFormat,
): SourceEnd {
  const source = loadedSourceOf(architecture)
  const { session: read, events, issues } = source.read(source.open(session.state), messages)
  const end = source.end(read)
  const found = issues.map((each) => shifted(each, messages.length))
  return { ...end, events: [...events, ...end.events], issues: [issue, ...found, ...end.issues] }
}

/** Returns the source of the wire that the session is of. Undefined while no message has shown the wire. */
function detectedSource({ notes }: Session): Source | undefined {
  return allSources().find((source) => source.notes.includes(notes.declaration))
}

/** A protocol that carried a session decides the wire, whatever the program is. */
function sourceOfState({ session: { protocol, program } }: SessionConversationState): Source | undefined {
  const wire = programOf(protocol ?? program)?.wire
  return wire && loadedSourceOf(wire)
}

/** Keeps the messages until one shows the wire, in a form that JSON holds. Then that wire's source reads them all. */
function readUntilDetected(session: Session, messages: Iterable<unknown>): Reading {
  const { waiting: before, isForeign: wasForeign, reported } = notesOf(ANY, session.notes)
  let waiting = before
  let foreign = wasForeign
  let arrived = 0
  const issues: ReadIssue[] = []
  const iterator = messages[Symbol.iterator]()
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    if (BrokenLine.isOne(next.value)) continue
    const { message = null, isCut } = truncateDepth(next.value)
    if (isCut) issues.push({ code: 'too-deep', count: 1, index: arrived })
    waiting = { item: message, before: waiting }
    arrived += 1
    if (isForeign(message)) foreign = true
    const architecture = foreign ? undefined : architectureOf(message)
    if (!architecture) continue
    const source = loadedSourceOf(architecture)
    const first = bufferedItems(waiting)
    const reading = source.read(source.open(session.state), chain(first, iterator))
    const found = reading.issues.map((issue) => shifted(issue, first.length - arrived))
    return { ...reading, issues: [...issues, ...found] }
  }
  if (waiting === before) return { session, events: [], issues }
  const notes = newNotes(ANY, { waiting, isForeign: foreign, reported })
  return { session: { state: session.state, notes }, events: [], issues }
}

function* chain(first: readonly unknown[], rest: Iterator<unknown>): Generator<unknown, void> {
  yield* first
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}

/** Returns the issue with the number of its message in this batch. A message of an earlier batch has none. */
function shifted({ index, ...issue }: ReadIssue, count: number): ReadIssue {
  return index === undefined || index < count ? issue : { ...issue, index: index - count }
}

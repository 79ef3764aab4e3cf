import { isObject } from '../core/json/values.ts'
import { allPrograms } from '../programs/all.ts'
import type { Architecture } from '../programs/program.ts'
import type { EntryFold } from '../reading/entry-fold.ts'
import { type CombinedTranscript, isCombined, TranscriptError } from '../reading/input/combined.ts'
import { type Entry, entriesOfLines, messageOf } from '../reading/input/entries.ts'
import { entriesOf, transcriptsOf } from '../reading/input/transcripts.ts'
import { allFormats, formatOf } from './all.ts'
import type { Format } from './format.ts'

/**
 * Returns the format of an input, by the first message that a format recognizes; undefined if none does. Throws a
 * `TypeError` if the input is neither text nor a combined transcript.
 */
export function detectArchitecture(raw: string | CombinedTranscript): Architecture | undefined {
  const [main] = transcriptsOf(raw)
  return detectEntries(entriesOf(main.content, {}))
}

/** Returns the format of entries, by the first message that a format recognizes. */
export function detectEntries(entries: Iterable<Entry>): Architecture | undefined {
  return detectValues(mapped(entries))
}

function* mapped(entries: Iterable<Entry>): Generator<unknown, void> {
  for (const entry of entries) yield messageOf(entry)
}

/** A program that writes another one's lines shows itself in its first lines, or with a reply. */
const LOOK_AHEAD = 20

/**
 * Returns the format of values, by the first one that a format recognizes. The next ones may show another program with
 * lines of that shape.
 */
export function detectValues(values: Iterable<unknown>): Architecture | undefined {
  let found: Format<Architecture> | undefined
  let seen = 0
  for (const value of values) {
    if (isForeign(value)) return undefined
    const architecture = found ? undefined : architectureOf(value)
    if (architecture) found = formatOf(architecture)
    if (found) seen += 1
    if (found && (!found.isForeign || seen > LOOK_AHEAD)) break
  }
  return found?.name
}

/** Whether the value is of a program that no wire knows, although its lines look like those of one. */
export function isForeign(value: unknown): boolean {
  return allFormats().some((format) => format.isForeign?.(value))
}

/** Whether an input with this beginning has one message per line, so that a reader can read it as it arrives. */
export function isLines(beginning: string): boolean {
  const { value: entry } = entriesOfLines(beginning).next()
  const first = entry && messageOf(entry)
  // A first line that cannot start a longer JSON value is one broken line of many.
  if (first === undefined) return !/^\s*[[{]/.test(beginning)
  return isObject(first) && !isCombined(first) && !isDocument(first)
}

/** Returns the format of one value: a message, a document, or a list of them. */
export function architectureOf(value: unknown): Architecture | undefined {
  const formats = allFormats()
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value]
  // Documents come first: a message of one program may have the same fields as a message of another.
  const found =
    formats.find((format) => format.isDocument(value)) ??
    formats.find((format) => messages.some((message) => format.isMessage(message)))
  return found?.name
}

function isDocument(value: unknown): boolean {
  return allFormats().some((format) => format.isDocument(value))
}

/** The wire that the caller chose, and the one that the content shows. */
interface Wires {
  readonly given: Architecture | undefined
  readonly detected: Architecture | undefined
}

/** Throws a `TranscriptError` if the reader has read the entries of another wire, or of a program that no wire knows. */
export function refuseForeign(reader: EntryFold, { given, detected }: Wires): void {
  const { all, known } = reader.counts
  if (all === 0) return
  if (given !== undefined && detected !== undefined && given !== detected)
    throw notATranscript(`its lines are those of ${detected}, and not of ${given}`)
  const isUnproved = given === undefined && detected === undefined
  if (known > 0 && !isUnproved) return
  if (given !== undefined) throw notATranscript(`${given} knows none of its lines (${all} in all)`)
  throw notATranscript(
    `no known program wrote it (${all} ${all === 1 ? 'line' : 'lines'} read). The known ones are ${programs()}`,
  )
}

function notATranscript(reason: string): TranscriptError {
  return new TranscriptError('not-a-transcript', `not a transcript: ${reason}`)
}

function programs(): string {
  return allPrograms()
    .map(({ names }) => names[0])
    .join(', ')
}

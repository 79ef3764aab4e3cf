import type { Architecture } from '../../programs/program.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { decodedEntries, type Entry, lastEntries, portionsOf } from '../../reading/input/entries.ts'
import { decodeLines, fileValue, initialLines, LONGEST_LINE } from '../../reading/input/jsonl.ts'
import { comparePlaces, type EntryPlace, type PlacedEntry } from '../../reading/input/transcript-order.ts'
import {
  entriesOf,
  joinTranscripts,
  type Transcript,
  transcriptsOf,
} from '../../reading/input/transcripts.ts'
import type { SourceIssue } from '../../reading/source.ts'
import { DEFAULT_ARCHITECTURE, formatOf } from '../../wires/all.ts'
import { detectEntries, isLines } from '../../wires/detect.ts'
import { unprovenFormat } from '../../wires/unproven.ts'
import { decoderOf, MARK_LENGTH } from '../files/decode-text.ts'
import { isCutValue } from '../files/read-error.ts'

/** The entries of a session, in portions that can be freed one after the other. */
export interface SessionEntries {
  /** The given format, or the detected one. Undefined if there is none. */
  readonly architecture: Architecture | undefined
  /** The format that recognizes the content, as far as detection has read it. */
  readonly detected: Architecture | undefined
  /** No line proves the program: its lines fit one wire alone. */
  readonly unproven?: SourceIssue | undefined
  readonly portions: AsyncIterable<readonly Entry[]>
  /**
   * - `lines`: a program may append to them
   * - `unfinished`: less than a line, or perhaps the beginning of one value
   * - `whole`: one value, or a program's own storage
   */
  readonly content: 'lines' | 'unfinished' | 'whole'
  /** Whether the text ends within its first value, so that it has no message yet. */
  readonly isCut?: boolean
  /** Whether the program writes a file for each agent, so that an agent without messages lacks its file. */
  readonly hasAgentFiles?: boolean
}

/** Returns the entries of a text. It reads the text only until its format is known. The portions read the rest. */
export async function textEntries(
  chunks: AsyncIterable<Uint8Array | string>,
  given?: Architecture,
): Promise<SessionEntries> {
  const texts = decodeChunks(chunks)
  const beginning = await readFirstLine(texts)
  if (!isLines(beginning)) return wholeEntries(transcriptsOf(await readRest(beginning, texts)), given)
  const portions = linePortions(beginning, texts)
  const first: (readonly Entry[])[] = []
  let detected: Architecture | undefined
  while (!detected && first.length < (given === undefined ? MAX_PORTIONS : 1)) {
    const next = await portions.next()
    if (next.done) break
    first.push(next.value)
    detected = detectEntries(next.value)
  }
  const unproven = given === undefined && !detected ? unprovenFormat(first.flat()) : undefined
  const isUnfinished = !beginning.trimStart().includes('\n') && fileValue(beginning) === undefined
  return {
    architecture: given ?? detected ?? unproven?.architecture,
    detected,
    unproven: unproven?.issue,
    portions: concatenate(first, portions),
    content: isUnfinished ? 'unfinished' : 'lines',
  }
}

/** A pipe of unknown lines appears soon, so detection ends after some portions. */
const MAX_PORTIONS = 20

async function* concatenate<Value>(
  first: Iterable<Value>,
  more: AsyncIterable<Value>,
): AsyncGenerator<Value> {
  yield* first
  yield* more
}

async function* linePortions(
  beginning: string,
  texts: AsyncIterable<string>,
): AsyncGenerator<readonly Entry[], void> {
  let lines = decodeLines(initialLines, beginning)
  yield decodedEntries(lines)
  for await (const text of texts) {
    lines = decodeLines(lines.memory, text)
    yield decodedEntries(lines)
  }
  yield lastEntries(lines.memory)
}

/** Joins transcripts in memory. If no format recognizes them, any reader will do: it reports that they are none. */
export function wholeEntries(
  transcripts: readonly [Transcript, ...Transcript[]],
  given: Architecture | undefined,
): SessionEntries {
  const detected = detectEntries(entriesOf(transcripts[0].content, {}))
  const unproven =
    given === undefined && !detected ? unprovenFormat(entriesOf(transcripts[0].content, {})) : undefined
  const architecture = given ?? detected ?? unproven?.architecture
  const { transcripts: rules } = formatOf(architecture ?? DEFAULT_ARCHITECTURE)
  const [{ content }] = transcripts
  return {
    ...{ architecture, detected, unproven: unproven?.issue },
    portions: inPortions(joinTranscripts(transcripts, rules)),
    content: 'value' in content ? 'whole' : 'unfinished',
    isCut: !detected && 'lines' in content && isCutValue(content.lines),
  }
}

const PORTION = 1_000

/** Returns the entries in portions. */
async function* inPortions(entries: Iterable<Entry>): AsyncGenerator<readonly Entry[], void> {
  for (const portion of portionsOf(entries, PORTION)) yield [...portion]
}

async function* decodeChunks(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string, void> {
  let decoder: ReturnType<typeof decoderOf> | undefined
  let mark: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') yield chunk
    else if (decoder) yield decoder.decode(chunk, { stream: true })
    else {
      mark = Buffer.concat([mark, chunk])
      if (mark.length < MARK_LENGTH) continue
      decoder = decoderOf(mark)
      yield decoder.decode(mark, { stream: true })
    }
  }
  yield decoder ? decoder.decode() : new TextDecoder().decode(mark)
}

/** Reads until the first line that is not blank is whole. It stops at the longest length of a line, because such a text may have no end. */
async function readFirstLine(texts: AsyncGenerator<string, void>): Promise<string> {
  let text = ''
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    text += next.value
    if (text.length > LONGEST_LINE || (next.value.includes('\n') && text.trimStart().includes('\n'))) break
  }
  return text
}

/** The longest string of V8, in UTF-16 units. */
const LONGEST_TEXT = 2 ** 29 - 24

async function readRest(beginning: string, texts: AsyncIterable<string>): Promise<string> {
  const pieces = [beginning]
  let { length } = beginning
  for await (const text of texts) {
    length += text.length
    if (length > LONGEST_TEXT)
      throw new TranscriptError('too-large', 'too large: the text does not fit into one string')
    pieces.push(text)
  }
  return pieces.join('')
}

/** A transcript that is not read to its end, with the place of its last entry so far. */
interface OpenTranscript {
  readonly portions: AsyncIterator<readonly PlacedEntry[]>
  last?: EntryPlace | undefined
}

/**
 * Joins the portions of several transcripts in the order of their entries' places. It always reads the transcript
 * that is furthest behind, so few entries wait in memory.
 */
export async function* joinPortions(
  transcripts: readonly AsyncIterator<readonly PlacedEntry[]>[],
): AsyncGenerator<readonly PlacedEntry[], void> {
  const open: OpenTranscript[] = transcripts.map((portions) => ({ portions }))
  const waiting: PlacedEntry[] = []
  for (let next = furthestBehind(open); next; next = furthestBehind(open)) {
    const { value: portion = [], done } = await next.portions.next()
    if (done) open.splice(open.indexOf(next), 1)
    for (const entry of portion) waiting.push(entry)
    next.last = portion.at(-1)?.place ?? next.last
    const behind = furthestBehind(open)
    if (!behind || behind.last) yield takeUpTo(waiting, behind?.last)
  }
}

/** Returns the transcript whose next entry may come first. */
function furthestBehind(open: readonly OpenTranscript[]): OpenTranscript | undefined {
  const unread = open.find(({ last }) => !last)
  if (unread) return unread
  return open.reduce<OpenTranscript | undefined>(
    (first, each) => (first?.last && each.last && comparePlaces(first.last, each.last) <= 0 ? first : each),
    undefined,
  )
}

/** Takes the entries before which no other one can come. */
function takeUpTo(waiting: PlacedEntry[], limit: EntryPlace | undefined): readonly PlacedEntry[] {
  waiting.sort((left, right) => comparePlaces(left.place, right.place))
  const end = limit ? waiting.findIndex(({ place }) => comparePlaces(place, limit) > 0) : -1
  return waiting.splice(0, end < 0 ? waiting.length : end)
}

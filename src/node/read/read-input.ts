import type { Architecture } from '../../programs/program.ts'
import { type CombinedTranscript, TranscriptError } from '../../session/input/combined.ts'
import { decodedEntries } from '../../session/input/entries.ts'
import { decodeLines, endLines, initialLines, LONGEST_LINE } from '../../session/input/jsonl.ts'
import { SourceReader } from '../../session/reader.ts'
import { DEFAULT_ARCHITECTURE, formatOf } from '../../wires/all.ts'
import { detectArchitecture, isLines } from '../../wires/detect.ts'
import type { Format } from '../../wires/format.ts'
import { decoderOf, MARK_LENGTH } from '../files/decode-text.ts'
import type { Input } from './open-input.ts'
import { type InputReading, type ReadingObserver, SessionFold } from './session-fold.ts'

/** Reads an input to its end. Throws a `TranscriptError`. */
export async function readInput(
  input: Input,
  format: Architecture | undefined,
  observer: ReadingObserver,
): Promise<InputReading> {
  if (input.kind === 'chunks') return readChunked(input, format, observer)
  return readAtOnce(input.transcript, { architecture: input.architecture, given: format }, observer)
}

async function readChunked(
  { chunks, size = 0 }: Extract<Input, { kind: 'chunks' }>,
  format: Architecture | undefined,
  observer: ReadingObserver,
): Promise<InputReading> {
  const isLong = size >= LONG_FILE
  const texts = decodeChunks(chunks, (read) => isLong && observer.onProgress?.(read / size))
  const beginning = await readUntilDetected(texts)
  if (!isLines(beginning)) {
    const raw = await readRest(beginning, texts)
    return readAtOnce(raw, { architecture: format ?? detectArchitecture(raw), given: format }, observer)
  }
  const architecture = format ?? detectArchitecture(beginning)
  const { source } = formatOrDefault(architecture)
  const run = new SessionFold(new SourceReader(source, format), observer)
  let lines = decodeLines(initialLines, beginning)
  run.addEntries(decodedEntries(lines))
  for await (const text of texts) {
    lines = decodeLines(lines.memory, text)
    run.addEntries(decodedEntries(lines))
  }
  run.addEntries(decodedEntries(endLines(lines.memory)))
  return run.end()
}

/** If no format recognizes the input, any reader will do: it reports that the input is not a transcript. */
function formatOrDefault(architecture: Architecture | undefined): Format<Architecture> {
  return formatOf(architecture ?? DEFAULT_ARCHITECTURE)
}

/** The number of entries between two progress reports. */
const BATCH = 10_000

/** Smaller inputs need no progress report. The limits are in bytes of one file, and in entries of several files. */
const LONG_FILE = 4_000_000
const MANY_ENTRIES = 20_000

function readAtOnce(
  raw: string | CombinedTranscript,
  {
    architecture,
    given,
  }: { readonly architecture: Architecture | undefined; readonly given: Architecture | undefined },
  observer: ReadingObserver,
): InputReading {
  const { source, entries: entriesOf } = formatOrDefault(architecture)
  const entries = [...entriesOf(raw)]
  const run = new SessionFold(new SourceReader(source, given), observer)
  for (let from = 0; from < entries.length; from += BATCH) {
    if (entries.length >= MANY_ENTRIES) observer.onProgress?.(from / entries.length)
    run.addEntries(entries.slice(from, from + BATCH))
  }
  return run.end()
}

async function* decodeChunks(
  chunks: AsyncIterable<Uint8Array | string>,
  onRead: (read: number) => unknown,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let mark: Uint8Array = new Uint8Array()
  let read = 0
  for await (const chunk of chunks) {
    read += chunk.length
    onRead(read)
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

/**
 * Reads lines until they show the format, but at most `MAX_PIECES` chunks, so that a pipe of unknown lines appears soon. It also stops
 * at the longest length of a line, because such an input may have no end.
 */
async function readUntilDetected(texts: AsyncGenerator<string>): Promise<string> {
  const pieces: string[] = []
  let isBlank = true
  let length = 0
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    pieces.push(next.value)
    length += next.value.length
    isBlank &&= next.value.trim() === ''
    if (length > LONGEST_LINE || (!isBlank && next.value.includes('\n') && isDetectable(pieces))) break
  }
  return pieces.join('')
}

const MAX_PIECES = 20

function isDetectable(pieces: readonly string[]): boolean {
  const beginning = pieces.join('')
  return pieces.length >= MAX_PIECES || !isLines(beginning) || detectArchitecture(beginning) !== undefined
}

/** The longest string of V8, in UTF-16 units. */
const LONGEST_TEXT = 2 ** 29 - 24

async function readRest(beginning: string, texts: AsyncGenerator<string>): Promise<string> {
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

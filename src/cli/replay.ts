import { type Architecture, DEFAULT_ARCHITECTURE, formatOf } from '../formats/all.ts'
import type { CombinedTranscript } from '../formats/combined.ts'
import { detectArchitecture, isLines } from '../formats/detect.ts'
import { decodedEntries } from '../formats/entries.ts'
import type { Format } from '../formats/format.ts'
import { decodeLines, endLines, initialLines, LONGEST_LINE } from '../formats/jsonl.ts'
import { SourceReader } from '../formats/reader.ts'
import { type Input, InputError } from './input.ts'
import { type Replay, ReplayRun, type ReplayObserver } from './replay-run.ts'

/** Reads an input to its end. Throws an `InputError` or a `TranscriptError`. */
export async function replayInput(
  input: Input,
  format: Architecture | undefined,
  watcher: ReplayObserver,
): Promise<Replay> {
  if (input.kind === 'chunks') return replayChunks(input, format, watcher)
  return replayWhole(input.transcript, input.architecture, watcher)
}

async function replayChunks(
  { chunks, size = 0 }: Extract<Input, { kind: 'chunks' }>,
  format: Architecture | undefined,
  watcher: ReplayObserver,
): Promise<Replay> {
  const isLong = size >= LONG_FILE
  const texts = textsOf(chunks, (read) => isLong && watcher.onProgress?.(read / size))
  const beginning = await beginningOf(texts)
  if (!isLines(beginning)) {
    const raw = await wholeOf(beginning, texts)
    return replayWhole(raw, format ?? detectArchitecture(raw), watcher)
  }
  const { source } = formatOrAny(format ?? detectArchitecture(beginning))
  const replaying = new ReplayRun(new SourceReader(source), watcher)
  let lines = decodeLines(initialLines, beginning)
  replaying.take(decodedEntries(lines))
  for await (const text of texts) {
    lines = decodeLines(lines.memory, text)
    replaying.take(decodedEntries(lines))
  }
  replaying.take(decodedEntries(endLines(lines.memory)))
  return replaying.end()
}

/** An input that no format recognizes is read all the same: every reader reports that it is no transcript. */
function formatOrAny(architecture: Architecture | undefined): Format<Architecture> {
  return formatOf(architecture ?? DEFAULT_ARCHITECTURE)
}

const BATCH = 10_000

/** Shorter inputs are read before anybody wonders: a file in bytes, and the messages of several. */
const LONG_FILE = 4_000_000
const MANY_ENTRIES = 20_000

function replayWhole(
  raw: string | CombinedTranscript,
  architecture: Architecture | undefined,
  watcher: ReplayObserver,
): Replay {
  const format = formatOrAny(architecture)
  const entries = [...format.entries(raw)]
  const replaying = new ReplayRun(new SourceReader(format.source), watcher)
  for (let from = 0; from < entries.length; from += BATCH) {
    if (entries.length >= MANY_ENTRIES) watcher.onProgress?.(from / entries.length)
    replaying.take(entries.slice(from, from + BATCH))
  }
  return replaying.end()
}

async function* textsOf(
  chunks: AsyncIterable<Uint8Array | string>,
  onRead: (read: number) => unknown,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let read = 0
  for await (const chunk of chunks) {
    read += chunk.length
    onRead(read)
    yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  }
  yield decoder.decode()
}

/**
 * The first lines that are not blank, until they tell whose they are: not for long, or nothing would be shown. What is longer than a
 * line can be may have no end at all.
 */
async function beginningOf(texts: AsyncGenerator<string>): Promise<string> {
  const pieces: string[] = []
  let isBlank = true
  let length = 0
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    pieces.push(next.value)
    length += next.value.length
    isBlank &&= next.value.trim() === ''
    if (length > LONGEST_LINE || (!isBlank && next.value.includes('\n') && isTelling(pieces))) break
  }
  return pieces.join('')
}

const MAX_PIECES = 20

function isTelling(pieces: readonly string[]): boolean {
  const beginning = pieces.join('')
  return pieces.length >= MAX_PIECES || !isLines(beginning) || detectArchitecture(beginning) !== undefined
}

/** What one string can hold in V8. */
const LONGEST_TEXT = 2 ** 29 - 24

async function wholeOf(beginning: string, texts: AsyncGenerator<string>): Promise<string> {
  const pieces = [beginning]
  let { length } = beginning
  for await (const text of texts) {
    length += text.length
    if (length > LONGEST_TEXT) throw new InputError('more text than one string can hold')
    pieces.push(text)
  }
  return pieces.join('')
}

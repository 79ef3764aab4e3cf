import type { SessionEvent } from '../events/event.ts'
import type { ReducerIssue } from '../reducer/issue.ts'
import { foldSessionEvents } from '../reducer/reduce.ts'
import {
  type Architecture,
  detectArchitecture,
  entriesOf,
  isLines,
  readerOf,
} from '../sources/architecture.ts'
import type { CombinedTranscript } from '../sources/combined.ts'
import { decodedEntries, type Entry } from '../sources/entries.ts'
import { decodeLines, endLines, initialLines } from '../sources/jsonl.ts'
import type { Reader } from '../sources/reader.ts'
import type { Ending, SourceIssue } from '../sources/source.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'
import { type Input, InputError } from './input.ts'

/** A replayed session as the command has it. */
export interface Replay {
  readonly state: SessionConversationState
  readonly issues: readonly (SourceIssue | ReducerIssue)[]
  readonly ending: Ending
}

/** Who watches while an input is read. */
export interface Watcher {
  onEvents?(events: readonly SessionEvent[]): void
  onState?(state: SessionConversationState): void
  /** How much of a long input has been read, from 0 to 1. */
  onProgress?(part: number): void
}

/** Reads an input to its end. Throws an `InputError` or a `TranscriptError`. */
export async function replayInput(
  input: Input,
  format: Architecture | undefined,
  watcher: Watcher,
): Promise<Replay> {
  if (input.kind === 'chunks') return replayChunks(input, format, watcher)
  return replayWhole(input.transcript, format ?? input.architecture, watcher)
}

async function replayChunks(
  { chunks, size = 0 }: Extract<Input, { kind: 'chunks' }>,
  format: Architecture | undefined,
  watcher: Watcher,
): Promise<Replay> {
  const isLong = size >= LONG_FILE
  const texts = textsOf(chunks, (read) => isLong && watcher.onProgress?.(read / size))
  const beginning = await beginningOf(texts)
  const architecture = format ?? detectArchitecture(beginning)
  if (!isLines(beginning)) {
    const raw = joined([beginning, ...(await listOf(texts))])
    return replayWhole(raw, format ?? detectArchitecture(raw), watcher)
  }
  const replaying = new Replaying(readerOf(architecture ?? DEFAULT), watcher)
  let lines = decodeLines(initialLines, beginning)
  replaying.take(decodedEntries(lines))
  for await (const text of texts) {
    lines = decodeLines(lines.memory, text)
    replaying.take(decodedEntries(lines))
  }
  replaying.take(decodedEntries(endLines(lines.memory)))
  return replaying.end()
}

/** What is read as if nothing told what it is: it will not be known, and says so. */
const DEFAULT: Architecture = 'claude-sdk'

const BATCH = 10_000

/** Shorter inputs are read before anybody wonders: a file in bytes, and the messages of several. */
const LONG_FILE = 4_000_000
const MANY_ENTRIES = 20_000

function replayWhole(
  raw: string | CombinedTranscript,
  architecture: Architecture | undefined,
  watcher: Watcher,
): Replay {
  const entries = entriesOf(architecture ?? DEFAULT, raw)
  const replaying = new Replaying(readerOf(architecture ?? DEFAULT), watcher)
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

/** The texts up to the end of the first line that is not blank. */
async function beginningOf(texts: AsyncGenerator<string>): Promise<string> {
  const pieces: string[] = []
  let isBlank = true
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    pieces.push(next.value)
    isBlank &&= next.value.trim() === ''
    if (!isBlank && next.value.includes('\n')) break
  }
  return joined(pieces)
}

async function listOf(texts: AsyncGenerator<string>): Promise<readonly string[]> {
  const list: string[] = []
  for await (const text of texts) list.push(text)
  return list
}

function joined(texts: readonly string[]): string {
  try {
    return texts.join('')
  } catch (error) {
    throw new InputError('more text than one string can hold', { cause: error })
  }
}

/** Folds what a reader gives, a run of entries as one change. */
class Replaying {
  readonly #reader: Reader
  readonly #watcher: Watcher
  readonly #issues: ReducerIssue[] = []
  #state = createInitialConversationState()

  constructor(reader: Reader, watcher: Watcher) {
    this.#reader = reader
    this.#watcher = watcher
  }

  take(entries: readonly Entry[]): void {
    this.#fold(entries.flatMap((entry) => this.#reader.read(entry)))
  }

  end(): Replay {
    const { events, issues, ending } = this.#reader.end()
    this.#fold(events)
    return { state: this.#state, issues: [...issues, ...this.#issues], ending }
  }

  #fold(events: readonly SessionEvent[]): void {
    const { state, issues } = foldSessionEvents(this.#state, events)
    this.#state = state
    this.#issues.push(...issues)
    this.#watcher.onEvents?.(events)
    this.#watcher.onState?.(state)
  }
}

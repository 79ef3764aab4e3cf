import type { SessionEvent } from '../../core/events/event.ts'
import { isObject, parseJson } from '../../core/json/values.ts'
import { LogError } from '../../server/log/log-error.ts'
import type { LoggedEvent } from '../../server/log/session-log.ts'
import { isSeq } from '../../server/sync/sequence.ts'

/**
 * The events of one append, as one line of the file: so a line that was cut takes its whole append with it. Several
 * processes may write a file at once, because the order of the lines decides. A line counts if its first number is
 * the next one: the append of any other line was refused.
 */
export interface Batch {
  /** The number of the last event. */
  readonly seq: number
  /** The place in bytes where the writer expected its line. A line at that place counts, because its writer knew all lines before it. */
  readonly at?: number
  /** The writer. */
  readonly by?: string
  /** The file ends here. The next file has the events after that number. */
  readonly movedAfter?: number
  /** The first line of a file whose events were dropped has no events, and says how many there were. */
  readonly events: readonly SessionEvent[]
}

/** Ends a line that a crash cut. No JSON has this character. */
export const CUT = '\u0018'

const START = '{"seq":'

/** Returns the line of a batch, with its end. */
export function lineOf({ seq, at, by, movedAfter, events }: Batch): string {
  return `${JSON.stringify({ seq, at, by, movedAfter, events })}\n`
}

/** Returns the batch of a line, or undefined if a crash cut the line. Throws a `LogError` (`broken`) for another line. */
export function batchOf(text: string, path: string): Batch | undefined {
  const value = parseJson(text)
  if (isBatch(value)) return value
  // A process that wrote at the same time may have put its line after the cut one.
  if (text.endsWith(CUT) || text.indexOf(START, 1) > 0) return undefined
  throw new LogError('broken', `a line is damaged: ${path}`)
}

function isBatch(value: unknown): value is Batch {
  return isObject(value) && isSeq(value.seq) && Array.isArray(value.events)
}

/** Returns the number of the last event before the batch. */
export function seqBefore({ seq, events }: Batch): number {
  return seq - events.length
}

/** The place where lines are read. */
export interface Start {
  readonly path: string
  /** The number of the last event before the place. */
  readonly seq: number
  /** The number of the last event that the reader has. A line that is lost before that one does not matter. */
  readonly readSeq: number
}

/** Returns the batches that count. Throws a `LogError` (`broken`) where a line is lost. */
export async function* countedBatches(
  lines: AsyncIterable<string>,
  { path, seq, readSeq }: Start,
): AsyncGenerator<Batch, void> {
  let last = seq
  for await (const text of lines) {
    const batch = batchOf(text, path)
    if (!batch) continue
    const before = seqBefore(batch)
    if (before < last) continue
    if (before > Math.max(last, readSeq)) throw gap(path, last + 1, before + 1)
    last = batch.seq
    yield batch
    if (batch.movedAfter !== undefined) return
  }
}

/** Returns the events of the batches after the number. */
export async function* eventsAfter(
  batches: AsyncIterable<Batch>,
  afterSeq: number,
): AsyncGenerator<LoggedEvent, void> {
  for await (const batch of batches) {
    const before = seqBefore(batch)
    for (const [at, event] of batch.events.entries())
      if (before + at + 1 > afterSeq) yield { seq: before + at + 1, event }
  }
}

/** Returns the lines of a new file with the events after the number. */
export async function* copiedLines(
  batches: AsyncIterable<Batch>,
  afterSeq: number,
  by: string,
): AsyncGenerator<string, void> {
  const first = lineOf({ seq: afterSeq, at: 0, by, events: [] })
  yield first
  let at = Buffer.byteLength(first)
  for await (const batch of batches) {
    const events = batch.events.slice(Math.max(0, afterSeq - seqBefore(batch)))
    if (events.length === 0) continue
    const line = lineOf({ seq: batch.seq, at, by, events })
    yield line
    at += Buffer.byteLength(line)
  }
}

function gap(path: string, expected: number, actual: number): LogError {
  return new LogError(
    'broken',
    `after event ${expected - 1} comes a line with event ${actual}, not ${expected}: ${path}`,
    { expected, actual },
  )
}

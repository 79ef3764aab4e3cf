import { open } from 'node:fs/promises'
import type { SessionEvent } from '../../events/event.ts'
import { isObject } from '../../json/values.ts'
import { decodeLines, initialLines } from '../../session/input/jsonl.ts'
import { isSeq } from '../../sync/sequence.ts'
import { LogError } from '../log-error.ts'
import type { LoggedEvent } from '../session-log.ts'

/**
 * The events of one append, as one line of the file: so a line that was cut takes its whole append with it. The first line of a file
 * that was trimmed may have no events, and then says how many there were.
 */
export interface AppendedBatch {
  /** The number of the last event. */
  readonly seq: number
  readonly events: readonly SessionEvent[]
}

/** Returns the line of a batch, with its end. */
export function lineOf({ seq, events }: AppendedBatch): string {
  return `${JSON.stringify({ seq, events })}\n`
}

/** Returns the batch of a line. Throws a `LogError` (`broken`) for another line. */
export function batchOf(message: unknown, path: string): AppendedBatch {
  if (isObject(message) && isSeq(message.seq) && Array.isArray(message.events))
    return { seq: message.seq, events: message.events }
  throw damaged(path)
}

function damaged(path: string): LogError {
  return new LogError('broken', `a line is damaged: ${path}`)
}

/** A part of a file, in bytes. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Opens the file at once, and returns the batches of its part. A later file of the same name changes nothing. */
export async function openBatches(path: string, { from, to }: Range): Promise<AsyncIterable<AppendedBatch>> {
  if (to <= from) return nothing()
  const file = await open(path, 'r')
  return batchesIn(file.createReadStream({ start: from, end: to - 1 }), path)
}

async function* nothing(): AsyncGenerator<never, void> {}

async function* batchesIn(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<AppendedBatch, void> {
  let memory = initialLines
  for await (const chunk of chunks) {
    const decoded = decodeLines(memory, chunk)
    memory = decoded.memory
    if (decoded.issues.length > 0) throw damaged(path)
    for (const { message } of decoded.lines) yield batchOf(message, path)
  }
}

/**
 * Returns the events of the batches after the number. Throws a `LogError` (`broken`) where two of the read lines have other numbers than one after
 * the other: a line between them is lost, or came twice.
 */
export async function* eventsAfter(
  batches: AsyncIterable<AppendedBatch>,
  afterSeq: number,
  path: string,
): AsyncGenerator<LoggedEvent, void> {
  let last: number | undefined
  for await (const { seq, events } of batches) {
    const before = seq - events.length
    if (last !== undefined && before !== last && Math.max(before, last) > afterSeq)
      throw outOfOrder(path, last + 1, before + 1)
    last = seq
    for (const [at, event] of events.entries())
      if (before + at + 1 > afterSeq) yield { seq: before + at + 1, event }
  }
}

function outOfOrder(path: string, expected: number, actual: number): LogError {
  return new LogError(
    'broken',
    `after event ${expected - 1} comes a line with event ${actual}, not ${expected}: ${path}`,
    { expected, actual },
  )
}

import { timeInMs } from '../../core/json/order.ts'
import type { ConversationBlock } from '../../core/state/block.ts'

/** A span's start and end in ms since the epoch. */
export interface TimeSpan {
  readonly start: number | undefined
  readonly end: number | undefined
}

/** The last time that OTLP can hold, in ms since the epoch: its nanoseconds are an unsigned number of 64 bits. */
const MAX_TIME = 18_446_744_073_709

/** Returns an ISO 8601 time in ms since the epoch, and undefined for anything else or a time that OTLP cannot hold. */
export function msOf(timestamp: string | undefined): number | undefined {
  return inRange(timeInMs(timestamp))
}

// Collectors refuse the whole export if one time is out of range, such as the year 1 that some programs write for no
// time.
function inRange(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= MAX_TIME ? ms : undefined
}

/** Returns the first and the last time of the blocks. */
export function spanOf(blocks: readonly ConversationBlock[]): TimeSpan {
  let [start, end]: [number | undefined, number | undefined] = [undefined, undefined]
  for (const block of blocks) {
    const ms = msOf(block.timestamp)
    if (ms === undefined) continue
    start = Math.min(start ?? ms, ms)
    end = Math.max(end ?? ms, ms)
  }
  return { start, end }
}

/** Fills a missing end with the start and a missing start with the end. A span never ends before it starts. */
export function complete({ start, end }: TimeSpan): TimeSpan {
  const last = inRange(end)
  const from = inRange(start) ?? last
  return { start: from, end: from === undefined ? undefined : Math.max(last ?? from, from) }
}

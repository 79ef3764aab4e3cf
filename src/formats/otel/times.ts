import type { ConversationBlock } from '../../state/block.ts'

/** A span's start and end in ms since the epoch. */
export interface TimeSpan {
  readonly start: number | undefined
  readonly end: number | undefined
}

/** Returns an ISO 8601 time in ms since the epoch, and undefined for anything else. */
export function msOf(timestamp: string | undefined): number | undefined {
  const ms = Date.parse(timestamp ?? '')
  return Number.isNaN(ms) ? undefined : ms
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
  const from = start ?? end
  return { start: from, end: from === undefined ? undefined : Math.max(end ?? from, from) }
}

import type { ConversationThread } from '../../core/state/session.ts'

/** The time of a session whose source has none. */
const NO_TIME = '1970-01-01T00:00:00.000Z'

/** Returns the first time in a conversation. */
export function firstTime({ blocks }: ConversationThread, otherwise = NO_TIME): string {
  for (const { timestamp } of blocks) {
    const time = isoOf(timestamp)
    if (time !== undefined) return time
  }
  return otherwise
}

/** Returns the later of two times; the second if the first is none. */
export function laterTime(timestamp: string | undefined, floor: string): string {
  const time = isoOf(timestamp)
  return time !== undefined && time > floor ? time : floor
}

/** Returns the time of the next millisecond. */
export function nextMs(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString()
}

/** Gives each entry its own time, or that of the entry before: programs sort by time, so none may go back. */
export class Clock {
  #time: string

  constructor(start: string) {
    this.#time = start
  }

  at(timestamp: string | undefined): string {
    this.#time = laterTime(timestamp, this.#time)
    return this.#time
  }
}

/** Returns the time in UTC with milliseconds, so that times sort as texts. Undefined for a time that no program can store. */
function isoOf(timestamp: string | undefined): string | undefined {
  const ms = Date.parse(timestamp ?? '')
  return ms >= 0 && ms < LAST_TIME ? new Date(ms).toISOString() : undefined
}

const LAST_TIME = Date.parse('9999-01-01')

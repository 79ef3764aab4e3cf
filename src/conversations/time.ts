import { isTime, parseTime } from '../core/json/iso-time.ts'

/** Returns the host's time, ISO 8601 or ms since the epoch, as ISO 8601. Throws a `RangeError` if it is not a time. */
export function toIsoTime(now: string | number): string {
  const time = typeof now === 'number' && Math.abs(now) <= MAX_TIME_MS ? new Date(now).toISOString() : now
  if (!isTime(time)) throw new RangeError('pass the time as ISO 8601 or ms since the epoch')
  return time
}

/** The latest time that JavaScript can hold, in ms since the epoch. */
const MAX_TIME_MS = 8.64e15

/** Returns the later of two times, or the first if they are equal. */
export function laterTime(left: string, right: string): string {
  return parseTime(right) > parseTime(left) ? right : left
}

import { timeInMs } from './lists.ts'

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * Returns the time in ms since the epoch, or NaN if the text is not an ISO 8601 time. A time without a zone is UTC.
 */
export function parseTime(timestamp: string): number {
  const [, day, time = '00:00', zone = ''] = ISO.exec(timestamp) ?? []
  if (day === undefined || !isDay(day)) return Number.NaN
  return timeInMs(`${day}T${time}${zone.toUpperCase()}`)
}

/** Returns whether the value is an ISO 8601 time. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(parseTime(value))
}

/** JavaScript reads the 30th of February as a day in March. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}

/** The latest time that a date can hold, in ms since the epoch (ECMA-262, "Time Values and Time Range"). */
const MAX_TIME = 8.64e15

/** Returns a time in ms since the epoch as ISO 8601, or undefined for any other value. */
export function isoTime(milliseconds: unknown): string | undefined {
  if (typeof milliseconds !== 'number' || !(Math.abs(milliseconds) <= MAX_TIME)) return undefined
  return new Date(milliseconds).toISOString()
}

/** Returns the time from start to end in ms, or undefined if either is missing. */
export function durationOf(start: unknown, end: unknown): number | undefined {
  if (typeof start !== 'number' || typeof end !== 'number') return undefined
  return Number.isFinite(end - start) ? end - start : undefined
}

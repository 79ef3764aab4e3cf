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

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

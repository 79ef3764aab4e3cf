const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * Returns a moment in ms since the epoch; NaN if the text is none. A time without a zone is UTC: the machine's own zone would
 * make it another moment on each.
 */
export function momentOf(timestamp: string): number {
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(timestamp) ?? []
  if (day === undefined || !isDay(day)) return Number.NaN
  return Date.parse(`${day}T${time}${zone.toUpperCase()}`)
}

/** Whether the value is a text that is a moment. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(momentOf(value))
}

/** The 30th of February is taken for a day in March. */
function isDay(day: string): boolean {
  const moment = Date.parse(`${day}T00:00Z`)
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day)
}

/** Returns a host's time, ISO 8601 or ms since the epoch, as ISO 8601. Throws a `RangeError` if it is none. */
export function timeOf(now: string | number): string {
  const time = typeof now === 'number' && Math.abs(now) <= LAST_MOMENT ? new Date(now).toISOString() : now
  if (!isTime(time)) throw new RangeError('pass the time as ISO 8601 or ms since the epoch')
  return time
}

/** That the language knows, in ms. */
const LAST_MOMENT = 8.64e15

/** Returns the later of two times; of equal ones the first. */
export function later(left: string, right: string): string {
  return momentOf(right) > momentOf(left) ? right : left
}

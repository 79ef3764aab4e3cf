const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * Returns a moment in ms since the epoch, or undefined if the text is none. A time without a zone is UTC: the machine's own
 * zone would make it another moment on each.
 */
export function momentOf(timestamp: string): number | undefined {
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(timestamp) ?? []
  if (day === undefined || !isDay(day)) return undefined
  const moment = Date.parse(`${day}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(moment) ? undefined : moment
}

/** The 30th of February is taken for a day in March. */
function isDay(day: string): boolean {
  const moment = Date.parse(`${day}T00:00Z`)
  return !Number.isNaN(moment) && timestampOf(moment).startsWith(day)
}

/** Returns a moment, in ms since the epoch, as ISO 8601 in UTC. */
export function timestampOf(moment: number): string {
  return new Date(moment).toISOString()
}

/** Returns the later of two times; of equal ones the first. */
export function later(left: string, right: string): string {
  return (momentOf(right) ?? 0) > (momentOf(left) ?? 0) ? right : left
}

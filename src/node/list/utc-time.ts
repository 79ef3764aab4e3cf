const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/

/** Returns an ISO 8601 time in UTC. Undefined for any other text. */
export function utcTime(text: string | undefined): string | undefined {
  if (text === undefined || !ISO.test(text)) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  return text.endsWith('Z') ? text : new Date(ms).toISOString()
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Returns how long ago a time was, such as `5 min ago`, `3 h ago` or `2 d ago`. After a month, it is the date. `now` is in ms. */
export function relativeTime(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '')
  if (Number.isNaN(at)) return ''
  const passed = now - at
  if (passed < MINUTE) return 'just now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`
  if (passed < 30 * DAY) return `${Math.floor(passed / DAY)} d ago`
  return new Date(at).toISOString().slice(0, 10)
}

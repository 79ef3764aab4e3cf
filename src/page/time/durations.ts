import { formatDuration } from '../../sinks/markdown/text/values.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Returns a pause in words, such as `45 min`, `3 h` or `2 days`. */
export function pauseText(ms: number): string {
  if (ms < 2 * HOUR) return formatDuration(Math.round(ms / 60_000) * 60_000)
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} days`
}

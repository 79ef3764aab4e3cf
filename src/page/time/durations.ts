import { formatDuration } from '../../sinks/markdown/text/values.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const UNITS: readonly (readonly [ms: number, name: Intl.RelativeTimeFormatUnit])[] = [
  [365 * DAY, 'year'],
  [30 * DAY, 'month'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [60_000, 'minute'],
]

const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** Returns how long ago something was, such as `5 months ago`. */
export function agoText(ms: number): string {
  const [size, name] = UNITS.find(([each]) => ms >= each) ?? [1000, 'second']
  return AGO.format(-Math.floor(ms / size), name)
}

/** Returns a pause in words, such as `45 min`, `3 h` or `2 days`. */
export function pauseText(ms: number): string {
  if (ms < 2 * HOUR) return formatDuration(Math.round(ms / 60_000) * 60_000)
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} days`
}

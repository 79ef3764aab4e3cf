import { timeInMs } from '../../../core/json/lists.ts'
/** Returns a time in milliseconds, if the text is a time. */
export function timeOf(timestamp: string | undefined): number | undefined {
  const time = timeInMs(timestamp)
  return Number.isNaN(time) ? undefined : time
}

/** Returns a time such as `2026-01-31 10:00 UTC`. */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Returns a duration such as `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min` or `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return joined(minutes, 'min', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  return hours < 24
    ? joined(hours, 'h', minutes % 60, 'min')
    : joined(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR_DAYS = 365

/** Returns how long ago something was, such as `just now`, `5 min ago`, `3 h ago` or `2 days ago`. */
export function formatAge(ms: number): string {
  if (ms < MINUTE) return 'just now'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`
  const days = Math.floor(ms / DAY)
  return `${days < YEAR_DAYS ? plural(days, 'day') : plural(Math.floor(days / YEAR_DAYS), 'year')} ago`
}

/** Returns a number with commas between thousands. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Returns the numbers of new lines and of lines that are gone, as `+3 −1`. */
export function countsText({ added, removed }: { readonly added: number; readonly removed: number }): string {
  return `+${formatCount(added)} −${formatCount(removed)}`
}

/** Returns a count with its noun, such as `1 file` or `2 files`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns a size such as `12 kB`. */
export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${formatCount(bytes / 1000)} kB`
}

/** Returns an amount of US dollars, such as `$1,062.75` or `<$0.01`. Unknown is no text. */
export function formatCost(costUsd: number | undefined): string {
  if (costUsd === undefined) return ''
  if (costUsd > 0 && costUsd < 0.01) return '<$0.01'
  const [whole = '', cents = ''] = costUsd.toFixed(2).split('.')
  return `$${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${cents}`
}

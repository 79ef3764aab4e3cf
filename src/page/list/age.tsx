import type { ReactNode } from 'react'
import { timeInMs } from '../../core/json/lists.ts'
import { formatAge, formatDuration } from '../../sinks/markdown/text/values.ts'
import { useClockText } from '../time/now.tsx'

/** In ms. An older session has its date. */
const MAX_AGE_MS = 7 * 86_400_000

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** How long ago a time was, with the time in the reader's zone as its title. It runs. */
export function Age({ time }: { readonly time: number }): ReactNode {
  const text = useClockText((now) => ageText(time, now))
  if (text === '') return null
  const date = new Date(time)
  return (
    <time dateTime={date.toISOString()} title={WHOLE.format(date)}>
      {text}
    </time>
  )
}

function ageText(time: number, now: number): string {
  if (!Number.isFinite(time)) return ''
  return now - time >= MAX_AGE_MS ? DAY.format(time) : formatAge(now - time)
}

/** A clock that runs since a time, in whole seconds. Empty for a time that is not known. */
export function RunningTime({ since }: { readonly since: string | undefined }): ReactNode {
  const from = timeInMs(since)
  const text = useClockText((now) => {
    const seconds = Math.max(0, Math.floor((now - from) / 1000))
    return Number.isNaN(seconds) ? '' : seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)
  })
  return (
    text !== '' && (
      <span className="list-clock" role="timer">
        {text}
      </span>
    )
  )
}

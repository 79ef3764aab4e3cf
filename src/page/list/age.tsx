import type { ReactNode } from 'react'
import { timeInMs } from '../../core/json/order.ts'

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** An older session has its date. */
const MAX_AGE_MS = 7 * 86_400_000

const AGE = new Intl.RelativeTimeFormat('en', { style: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** How long ago a time was, with the time in the reader's zone as its title. */
export function Age({ time }: { readonly time: string | undefined }): ReactNode {
  const date = new Date(timeInMs(time))
  if (Number.isNaN(date.getTime())) return null
  return (
    <time dateTime={date.toISOString()} title={WHOLE.format(date)}>
      {ageText(date)}
    </time>
  )
}

function ageText(date: Date): string {
  const age = Date.now() - date.getTime()
  if (age >= MAX_AGE_MS) return DAY.format(date)
  const [unit, size] = UNITS.find(([, ms]) => age >= ms) ?? []
  return unit === undefined || size === undefined ? 'just now' : AGE.format(-Math.floor(age / size), unit)
}

import type { ReactNode } from 'react'
import { timeInMs } from '../../core/json/lists.ts'

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

interface WhenProps {
  readonly timestamp: string | undefined
  readonly hasDay?: boolean
}

/** The time of a block, in the reader's time zone. */
export function When({ timestamp, hasDay = false }: WhenProps): ReactNode {
  const date = new Date(timeInMs(timestamp))
  if (Number.isNaN(date.getTime())) return null
  return (
    <time className="when" dateTime={date.toISOString()} title={WHOLE.format(date)}>
      {hasDay && `${DAY.format(date)}, `}
      {TIME.format(date)}
    </time>
  )
}

import type { ReactNode } from 'react'
import { timeInMs } from '../../core/json/lists.ts'
import { formatDuration } from '../../sinks/markdown/text/values.ts'
import { useIsLive, useNow } from './now.tsx'

/** A clock that runs since a time. Empty in a report, and for a time that is not known. */
export function Elapsed({ since }: { readonly since: string | undefined }): ReactNode {
  const from = timeInMs(since)
  const isRunning = useIsLive() && !Number.isNaN(from)
  const seconds = Math.max(Math.floor((useNow(isRunning) - from) / 1000), 0)
  if (!isRunning) return null
  return (
    <span className="further" role="timer">
      {seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)}
    </span>
  )
}

import type { ReactNode } from 'react'
import type { FoundSession } from '../../cli/serve/machine/listed-session.ts'
import { timeInMs } from '../../core/json/order.ts'
import { formatCost, formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { StatusMark } from '../session/status-mark.tsx'
import { Age } from './age.tsx'
import type { ListEntry } from './listing.ts'

interface SessionRowProps {
  readonly entry: ListEntry
  readonly context: FoundSession['context'] | undefined
}

/** A session: its title, where it ran, when, how long, how it stands and what it cost. */
export function SessionRow({ entry, context }: SessionRowProps): ReactNode {
  const { id, title, program, model, cwd, startedAt, updatedAt, costUsd, agents, status } = entry
  const durationMs = timeInMs(updatedAt) - timeInMs(startedAt)
  const facts = [program, model, agents ? plural(agents, 'agent') : undefined]
  return (
    <a className="list-row" href={id}>
      <span className="list-title" dir="auto">
        {title}
      </span>
      <span className="list-status">{status && <StatusMark status={status} />}</span>
      <span className="list-age">
        <Age time={updatedAt} />
      </span>
      <span className="list-duration" title="From the first to the last message">
        {durationMs > 0 ? formatDuration(durationMs) : ''}
      </span>
      <span className="list-cost">{formatCost(costUsd)}</span>
      <span className="list-facts">
        {facts.filter(Boolean).join(' · ')}
        {cwd !== undefined && <span className="list-cwd">{cwd}</span>}
      </span>
      {context && (
        <span className="list-context" dir="auto">
          {context[0]}
          <mark>{context[1]}</mark>
          {context[2]}
        </span>
      )}
    </a>
  )
}

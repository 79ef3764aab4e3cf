import { type ReactNode, useContext } from 'react'
import type { FoundSession } from '../../cli/serve/machine/listed-session.ts'
import { countsText, formatCost, formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { fragmentOf } from '../rows/place.ts'
import { StatusMark } from '../session/status-mark.tsx'
import { plainLine } from '../text/plain-line.ts'
import { Age, RunningTime } from './age.tsx'
import { ComparedContext, compareAddress } from './compared.ts'
import { durationOf, type ListEntry, timeOf } from './entry.ts'
import { statusGroupOf } from './filter.ts'

/** The hits of a search. */
export interface FoundText {
  readonly text: string
  readonly session: FoundSession
}

interface SessionRowProps {
  readonly entry: ListEntry
  /** Whether the row has a line for the news. */
  readonly hasNews: boolean
  readonly found: FoundText | undefined
}

/** A session: its title, when, how long, and what it cost; then what is new, and where it ran. */
export function SessionRow({ entry, hasNews, found }: SessionRowProps): ReactNode {
  const durationMs = durationOf(entry)
  const compared = useContext(ComparedContext)
  const address = compared === '' ? addressOf(entry, found) : compareAddress(compared, entry.id)
  return (
    <a className="list-row" href={address} data-id={entry.id} data-status={statusGroupOf(entry)}>
      <span className="list-title" dir="auto">
        {entry.title}
      </span>
      <span className="list-age">
        <Age time={timeOf(entry)} />
      </span>
      <span className="list-duration">
        {durationMs > 0 && (
          <>
            <span className="list-label">took </span>
            {formatDuration(durationMs)}
          </>
        )}
      </span>
      <span className="list-cost">{formatCost(entry.costUsd)}</span>
      {hasNews && <News entry={entry} />}
      {found && <Context found={found.session} />}
      <Facts entry={entry} hasNews={hasNews} />
    </a>
  )
}

function addressOf({ id }: ListEntry, found: FoundText | undefined): string {
  if (!found) return id
  const { place } = found.session
  return `${id}?find=${encodeURIComponent(found.text)}${place ? fragmentOf(place) : ''}`
}

/** The question, the reason, what runs now, or the last answer. */
function News({ entry }: { readonly entry: ListEntry }): ReactNode {
  const { reason, doing, lastText } = entry
  const group = statusGroupOf(entry)
  const text = group === 'running' ? doing?.text : group === 'done' ? lastText && plainLine(lastText) : reason
  // What runs has a word again at once, and the row must not move.
  if (!text && group !== 'running') return null
  return (
    <span className={`list-news ${group}`}>
      <span className="list-words" dir="auto">
        {text}
      </span>
      {group === 'running' && <RunningTime since={doing?.since} />}
    </span>
  )
}

function Context({ found: { context } }: { readonly found: FoundSession }): ReactNode {
  return (
    <span className="list-context" dir="auto">
      {context[0]}
      <mark>{context[1]}</mark>
      {context[2]}
    </span>
  )
}

/** A row says its status only where its heading does not, and never that it is done. */
function Facts({ entry, hasNews }: Pick<SessionRowProps, 'entry' | 'hasNews'>): ReactNode {
  const { status, reason, program, model, cwd } = entry
  const group = statusGroupOf(entry)
  const isSaid = status === 'finished' || status === 'idle' || (hasNews && status !== 'interrupted')
  const facts = [program, model, agentsText(entry), hasNews ? filesText(entry) : undefined]
  return (
    <span className="list-facts">
      {status && !isSaid && <StatusMark status={status} />}
      {!hasNews && (group === 'failed' || group === 'waiting') && reason !== undefined && (
        <span className={`list-reason ${group}`} dir="auto">
          {reason}
        </span>
      )}
      <span className="list-names">{facts.filter(Boolean).join(' · ')}</span>
      {cwd !== undefined && <span className="list-cwd">{cwd}</span>}
    </span>
  )
}

function agentsText({ agents = 0, failedAgents = 0 }: ListEntry): string | undefined {
  if (agents === 0) return undefined
  return failedAgents === 0 ? plural(agents, 'agent') : `${plural(agents, 'agent')}, ${failedAgents} failed`
}

function filesText({ files = 0, added = 0, removed = 0 }: ListEntry): string | undefined {
  return files === 0 ? undefined : `${plural(files, 'file')} ${countsText({ added, removed })}`
}

import type { ReactNode } from 'react'
import type { FoundSession } from '../../cli/serve/machine/listed-session.ts'
import type { ListEntry } from './listing.ts'
import { useRowRange } from './row-range.ts'
import { SessionRow } from './session-row.tsx'
import { useKeptScroll } from './use-kept-scroll.ts'

interface SessionRowsProps {
  readonly entries: readonly ListEntry[]
  /** The places that a search has found. */
  readonly found: readonly FoundSession[]
  /** Whether all sessions are known. */
  readonly isComplete: boolean
}

/** The page has the rows in view. */
export function SessionRows({ entries, found, isComplete }: SessionRowsProps): ReactNode {
  const { list, first, last, height } = useRowRange(entries.length)
  useKeptScroll(isComplete)
  const contexts = new Map(found.map(({ id, context }) => [id, context]))
  return (
    <ul
      ref={list}
      className={contexts.size > 0 ? 'list-rows found' : 'list-rows'}
      style={{ minHeight: entries.length * height, paddingTop: first * height }}
    >
      {entries.slice(first, last).map((entry, at) => (
        <li key={entry.id} aria-posinset={first + at + 1} aria-setsize={entries.length}>
          <SessionRow entry={entry} context={contexts.get(entry.id)} />
        </li>
      ))}
    </ul>
  )
}

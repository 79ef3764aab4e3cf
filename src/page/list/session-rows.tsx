import type { ReactNode } from 'react'
import type { ListEntry } from './entry.ts'
import { useRowRange } from './row-range.ts'
import { type FoundText, SessionRow } from './session-row.tsx'

interface SessionRowsProps {
  readonly entries: readonly ListEntry[]
  readonly hasNews: boolean
  /** The hits of a search, by session. */
  readonly found?: ReadonlyMap<string, FoundText>
}

/** Sessions one below the other. The page has the rows in view. */
export function SessionRows({ entries, hasNews, found }: SessionRowsProps): ReactNode {
  const { list, first, last, height } = useRowRange(entries.length)
  return (
    <ul
      ref={list}
      className={hasNews || found ? 'list-rows tall' : 'list-rows'}
      style={{ minHeight: entries.length * height, paddingTop: first * height }}
    >
      {entries.slice(first, last).map((entry, at) => (
        <li key={entry.id} aria-posinset={first + at + 1} aria-setsize={entries.length}>
          <SessionRow entry={entry} hasNews={hasNews} found={found?.get(entry.id)} />
        </li>
      ))}
    </ul>
  )
}

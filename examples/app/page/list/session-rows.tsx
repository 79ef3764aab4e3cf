import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import type { FoundSession } from '../../../../src/cli/serve/machine/listed-session.ts'
import type { ListEntry } from './listing.ts'
import { SessionRow } from './session-row.tsx'
import { useKeptScroll } from './use-kept-scroll.ts'

/** The height of most rows, in CSS pixels. Each row is measured. */
const ROW = 64

interface SessionRowsProps {
  readonly entries: readonly ListEntry[]
  /** The places that a search has found. */
  readonly found: readonly FoundSession[]
  /** Whether all sessions are known. */
  readonly isComplete: boolean
}

/** The page has the rows in view. */
export function SessionRows({ entries, found, isComplete }: SessionRowsProps): ReactNode {
  const list = useRef<HTMLUListElement>(null)
  const [margin, setMargin] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters above the list may become higher
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), [entries])
  const virtualizer = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => ROW,
    getItemKey: (at) => entries[at]?.id ?? at,
    overscan: 12,
    scrollMargin: margin,
  })
  const items = virtualizer.getVirtualItems()
  useKeptScroll(virtualizer, entries, isComplete)
  const contexts = new Map(found.map(({ id, context }) => [id, context]))
  const [first] = items
  return (
    <ul
      ref={list}
      className="list-rows"
      style={{ minHeight: virtualizer.getTotalSize(), paddingTop: first ? first.start - margin : 0 }}
    >
      {items.map(({ index, key }) => {
        const entry = entries[index]
        return (
          entry && (
            <li
              key={String(key)}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={entries.length}
            >
              <SessionRow entry={entry} context={contexts.get(entry.id)} />
            </li>
          )
        )
      })}
    </ul>
  )
}

import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { ListEntry } from './listing.ts'

type Rows = Virtualizer<Window, Element>

/** The row at the top of the view, and how far the view has moved beyond its start, in CSS pixels. */
interface KeptPlace {
  readonly id: string
  readonly offset: number
}

/**
 * Returns to the place of the list when the reader comes back to it, once all rows are known. The browser does it by itself only for a page that is whole
 * at once.
 */
export function useKeptScroll(rows: Rows, entries: readonly ListEntry[], isComplete: boolean): void {
  const isRestored = useRef(false)
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const keep = () => history.replaceState({ place: placeNow(rows, entries) }, '')
    window.addEventListener('pagehide', keep)
    return () => window.removeEventListener('pagehide', keep)
  })
  useLayoutEffect(() => {
    if (!isComplete || isRestored.current) return
    isRestored.current = true
    const { place } = Object(history.state)
    if (isPlace(place) && window.scrollY === 0) goTo(place, rows, entries)
  })
}

/** Undefined at the start of the page. */
function placeNow(rows: Rows, entries: readonly ListEntry[]): KeptPlace | undefined {
  const row = rows.getVirtualItems().find(({ end }) => end > window.scrollY)
  const entry = row && entries[row.index]
  return entry && window.scrollY > row.start
    ? { id: entry.id, offset: window.scrollY - row.start }
    : undefined
}

function goTo({ id, offset }: KeptPlace, rows: Rows, entries: readonly ListEntry[]): void {
  const at = entries.findIndex((entry) => entry.id === id)
  if (at === -1) return
  rows.scrollToIndex(at, { align: 'start' })
  // The rows around it are measured first.
  requestAnimationFrame(() => requestAnimationFrame(() => window.scrollBy(0, offset)))
}

function isPlace(value: unknown): value is KeptPlace {
  const { id, offset } = Object(value)
  return typeof id === 'string' && typeof offset === 'number'
}

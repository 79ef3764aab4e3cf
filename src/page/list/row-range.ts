import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** The rows out of view that are ready, above and below. */
const OVERSCAN = 12

/** The rows near the view. All rows have one height. */
export interface RowRange {
  readonly list: RefObject<HTMLUListElement | null>
  readonly first: number
  readonly last: number
  /** The height of a row, in CSS pixels. */
  readonly height: number
}

/** Returns the rows of a long list that the page has to have. */
export function useRowRange(count: number): RowRange {
  const list = useRef<HTMLUListElement>(null)
  const [{ first, last, height }, setRange] = useState({ first: 0, last: 1, height: 64 })
  const [isPrinting, setIsPrinting] = useState(false)
  const update = useCallback(() => {
    const rowHeight = list.current?.firstElementChild?.clientHeight ?? 0
    if (!list.current || rowHeight === 0) return
    const top = -list.current.getBoundingClientRect().top
    const next = {
      first: Math.max(0, Math.floor(top / rowHeight) - OVERSCAN),
      last: Math.ceil((top + window.innerHeight) / rowHeight) + OVERSCAN,
      height: rowHeight,
    }
    setRange((before) => (isSame(before, next) ? before : next))
  }, [])
  useEffect(() => {
    const stop = new AbortController()
    window.addEventListener('scroll', update, { passive: true, signal: stop.signal })
    window.addEventListener('resize', update, { signal: stop.signal })
    // Paper has no view: it shows all rows, and the browser prints at once.
    for (const name of ['beforeprint', 'afterprint'])
      window.addEventListener(name, () => flushSync(() => setIsPrinting(name === 'beforeprint')), {
        signal: stop.signal,
      })
    return () => stop.abort()
  }, [update])
  // Other rows may have another height.
  useLayoutEffect(update)
  if (isPrinting) return { list, first: 0, last: count, height }
  // One row stays, also where the list is out of view: it has the height of all.
  const shown = Math.min(first, Math.max(0, count - 1))
  return { list, first: shown, last: Math.min(Math.max(last, shown + 1), count), height }
}

type Range = Omit<RowRange, 'list'>

function isSame(left: Range, right: Range): boolean {
  return left.first === right.first && left.last === right.last && left.height === right.height
}

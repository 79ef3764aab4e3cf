import { useSession, useSessionStore } from 'agentfold/react'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { copyLink } from '../blocks/block-link.tsx'
import { Minimap } from '../minimap/minimap.tsx'
import { onKeys } from '../session/shortcuts.ts'
import { minutesOf } from './minutes.ts'
import { useNavigator } from './navigator.tsx'
import { useOpenState } from './open-state.tsx'
import { isMainPrompt } from './reader-place.ts'
import type { Row } from './row.ts'
import { RowView } from './row-view.tsx'
import { type RowRange, RowWindow } from './row-window.ts'
import { RowBuilder } from './rows-of.ts'

/** A page with fewer rows has all of them, so that the browser's own search finds them. */
const FEW_ROWS = 300

/** The conversation. The page has only the rows in view of a long list. */
export function RowList(): ReactNode {
  const rows = useRows()
  const { rowWindow, first, last } = useRowWindow(rows)
  useShownRow(rows, (at) => rowWindow.goTo(at))
  usePromptKeys(rows, useIndexAtTop(rows, rowWindow.indexAtTop))
  const { heights } = rowWindow
  const isWhole = last - first === rows.length
  const shown = rows.slice(first, last)
  // With the row above, whose minute need not be repeated.
  const minutes = minutesOf(useSessionStore().getState(), rows.slice(Math.max(first - 1, 0), last))
  return (
    <>
      <Minimap rows={rows} heights={heights} total={heights.total} />
      <div
        ref={rowWindow.setList}
        className="rows"
        style={{ minHeight: isWhole ? undefined : heights.total }}
      >
        <section
          className="rows-in-view"
          aria-label="Conversation"
          style={{ paddingTop: heights.topOf(first) }}
        >
          {shown.map((row, at) => (
            <RowView
              key={row.key}
              row={row}
              index={first + at}
              minute={minutes.at(at - shown.length)}
              measure={rowWindow.observe}
            />
          ))}
        </section>
      </div>
    </>
  )
}

function useRowWindow(rows: readonly Row[]): RowRange & { readonly rowWindow: RowWindow } {
  const { isPrinting } = useOpenState()
  const { hold } = useNavigator()
  const [range, setRange] = useState<RowRange>({ first: 0, last: 0, total: 0 })
  const rowWindow = useMemo(() => {
    const made: RowWindow = new RowWindow(hold, () => {
      const next = made.range()
      setRange((before) => (isSame(before, next) ? before : next))
    })
    return made
  }, [hold])
  rowWindow.place(rows)
  useEffect(() => rowWindow.start(), [rowWindow])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are in the page
  useLayoutEffect(() => rowWindow.update(), [rows, range])
  const isWhole = isPrinting || rows.length <= FEW_ROWS
  return isWhole ? { ...range, rowWindow, first: 0, last: rows.length } : { ...range, rowWindow }
}

function isSame(left: RowRange, right: RowRange): boolean {
  return left.first === right.first && left.last === right.last && left.total === right.total
}

function useRows(): readonly Row[] {
  const open = useOpenState()
  const { filter } = useNavigator()
  useSyncExternalStore(open.subscribe, () => open.version)
  useSyncExternalStore(filter.subscribe, () => filter.version)
  const builder = useMemo(() => new RowBuilder(open, filter), [open, filter])
  useSession(builder.build)
  return builder.build(useSessionStore().getState())
}

/** Scrolls to the row that the navigator names, when the page has it, and focuses it. */
function useShownRow(rows: readonly Row[], scrollTo: (at: number) => void): void {
  const navigator = useNavigator()
  const [target, setTarget] = useState<{ readonly key: string }>()
  useEffect(() => {
    navigator.setShow((key) => setTarget({ key }))
    return navigator.followAddress()
  }, [navigator])
  useEffect(() => onKeys({ l: copyLink }), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each target is shown once
  useEffect(() => {
    if (!target) return
    const at = rows.findIndex(({ key }) => key === target.key)
    if (at === -1) {
      navigator.hold.release()
      window.scrollTo({ top: 0 })
      document.querySelector('main')?.focus({ preventScroll: true })
      return
    }
    scrollTo(at)
    return focusWhenShown(target.key)
  }, [target])
}

/** Keeps the place of the reader, and returns a function that gives the row at the top of the view. */
function useIndexAtTop(rows: readonly Row[], indexAtTop: () => number): () => number {
  const { place } = useNavigator()
  useEffect(() => {
    const look = (): void => place.set(rows, indexAtTop())
    look()
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [rows, place, indexAtTop])
  return indexAtTop
}

/** `j` and `k` go to the prompts after and before the reader's place: the focused prompt in view, or else the top of the view. */
function usePromptKeys(rows: readonly Row[], rowAtTop: () => number): void {
  const navigator = useNavigator()
  useEffect(() => {
    const go = (by: 1 | -1) => () => {
      const at = focusedRow() ?? rowAtTop()
      const next =
        by === 1
          ? rows.find((row, place) => place > at && isMainPrompt(row))
          : rows.findLast((row, place) => place < at && isMainPrompt(row))
      if (next?.type === 'block') navigator.goToBlock('main', next.blockId, false)
    }
    return onKeys({ j: go(1), k: go(-1) })
  }, [rows, rowAtTop, navigator])
}

/** Returns the index of the focused row; undefined if it is out of view. */
function focusedRow(): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('[data-index]')
  const { top = -1, bottom = 0 } = row?.getBoundingClientRect() ?? {}
  return row && top >= 0 && bottom <= window.innerHeight ? Number(row.dataset.index) : undefined
}

/** The row may be far away, and appears some frames after the scroll. */
function focusWhenShown(key: string): () => void {
  let frames = 0
  let request = requestAnimationFrame(function look(): void {
    const found = document.querySelector<HTMLElement>(
      `[data-row="${CSS.escape(key)}"] > :is(article, section)`,
    )
    frames += 1
    if (!found && frames < 60) request = requestAnimationFrame(look)
    if (!found) return
    found.tabIndex = -1
    found.focus({ preventScroll: true })
  })
  return () => cancelAnimationFrame(request)
}

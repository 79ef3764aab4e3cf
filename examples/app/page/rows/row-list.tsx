import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useSession, useSessionStore } from 'agentfold/react'
import {
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { copyLink } from '../blocks/block-link.tsx'
import { onKeys } from '../session/shortcuts.ts'
import { useNavigator } from './navigator.tsx'
import { useOpenState } from './open-state.tsx'
import type { Row } from './row.ts'
import { RowView } from './row-view.tsx'
import { RowBuilder } from './rows-of.ts'

/** A page with fewer rows has all of them, so that the browser's own search finds them. */
const FEW_ROWS = 300

/** The rows out of view that are ready, above and below. */
const OVERSCAN = 8

/** The height of the bar of a narrow page, which hides rows behind it. In CSS pixels. */
const BAR = 72

/** The conversation. Of a long one, the page has the rows in view. */
export function RowList(): ReactNode {
  const rows = useRows()
  const { isPrinting } = useOpenState()
  const list = useRef<HTMLDivElement>(null)
  const [margin, setMargin] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: parts above the list appear with the rows
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), [rows])
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (at) => (rows[at]?.type === 'run' ? 48 : 90),
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan: isPrinting || rows.length <= FEW_ROWS ? rows.length : OVERSCAN,
    scrollMargin: margin,
    scrollPaddingStart: BAR,
  })
  useShownRow(rows, (at) => virtualizer.scrollToIndex(at, { align: 'start' }))
  const items = virtualizer.getVirtualItems()
  const start = (items[0]?.start ?? margin) - margin
  return (
    <div ref={list} className="rows" style={{ minHeight: virtualizer.getTotalSize() }}>
      <section className="rows-in-view" aria-label="Conversation" style={{ paddingTop: start }}>
        {items.map(({ index, key }) => {
          const row = rows[index]
          return (
            row && <RowView key={String(key)} row={row} index={index} measure={virtualizer.measureElement} />
          )
        })}
      </section>
    </div>
  )
}

function useRows(): readonly Row[] {
  const open = useOpenState()
  useSyncExternalStore(open.subscribe, () => open.version)
  const builder = useMemo(() => new RowBuilder(open), [open])
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
      window.scrollTo({ top: 0 })
      document.querySelector('main')?.focus({ preventScroll: true })
      return
    }
    scrollTo(at)
    return focusWhenShown(target.key)
  }, [target])
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

import { useSessionStore } from 'agentfold/react'
import { type MouseEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react'
import { useNavigator } from '../rows/navigator.tsx'
import type { Row } from '../rows/row.ts'
import type { RowHeights } from '../rows/row-heights.ts'
import { failuresIn } from '../session/failures.ts'
import { Roving } from '../session/roving.tsx'
import { useCalm } from '../session/use-calm.ts'
import { type Mark, marksOf } from './marks.ts'

interface MinimapProps {
  readonly rows: readonly Row[]
  readonly heights: RowHeights
  /** The height of all rows, in CSS pixels. */
  readonly total: number
}

/** A conversation of fewer views needs no map. */
const MANY_VIEWS = 3

/** The prompts, failures and agents of a long session beside it, at their places. A click leads there. */
export function Minimap(props: MinimapProps): ReactNode {
  return props.total > MANY_VIEWS * window.innerHeight && <LongMinimap {...props} />
}

function LongMinimap({ rows, heights, total }: MinimapProps): ReactNode {
  const store = useSessionStore()
  const failures = useCalm(failuresIn)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another height, the marks have other places
  const marks = useMemo(
    () => marksOf(store.getState(), { rows, heights, failures }),
    [store, rows, heights, failures, total],
  )
  const view = useRef<HTMLSpanElement>(null)
  useView(view, total)
  if (marks.length < 2) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the page scroll, too
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a second scrollbar
    <div className="minimap" onClick={(event) => goToPlace(event, total)}>
      <span ref={view} className="minimap-view" />
      <Roving label="Prompts, failures and agents by place">
        {marks.map((mark) => (
          <MarkButton key={`${mark.kind} ${mark.conversationId} ${mark.blockId}`} mark={mark} />
        ))}
      </Roving>
    </div>
  )
}

const NAMES: Readonly<Record<Mark['kind'], string>> = {
  failure: 'Failure',
  prompt: 'Prompt',
  agent: 'Agent',
}

function MarkButton({
  mark: { kind, at, text, conversationId, blockId },
}: {
  readonly mark: Mark
}): ReactNode {
  const navigator = useNavigator()
  const name = `${NAMES[kind]}: ${text}`
  return (
    <button
      type="button"
      className="minimap-mark"
      data-kind={kind}
      data-name={name}
      aria-label={name}
      style={{ top: `${(at * 100).toFixed(2)}%` }}
      onClick={(event) => {
        event.stopPropagation()
        if (blockId === undefined) navigator.goToAgent(conversationId)
        else navigator.goToBlock(conversationId, blockId, kind === 'failure')
      }}
    />
  )
}

/** Shows which part of the conversation is in view. A scroll renders nothing. */
function useView(view: RefObject<HTMLElement | null>, total: number): void {
  useEffect(() => {
    const show = (): void => {
      if (!view.current) return
      const top = Math.min(Math.max(window.scrollY - listTop(), 0) / total, 1)
      view.current.style.top = `${top * 100}%`
      view.current.style.height = `${Math.min(window.innerHeight / total, 1 - top) * 100}%`
    }
    show()
    window.addEventListener('scroll', show, { passive: true })
    window.addEventListener('resize', show)
    return () => {
      window.removeEventListener('scroll', show)
      window.removeEventListener('resize', show)
    }
  })
}

function goToPlace({ clientY, currentTarget }: MouseEvent<HTMLElement>, total: number): void {
  const { top, height } = currentTarget.getBoundingClientRect()
  const place = listTop() + ((clientY - top) / height) * total
  window.scrollTo({ top: place - window.innerHeight / 2, behavior: 'instant' })
}

function listTop(): number {
  return (document.querySelector('.rows')?.getBoundingClientRect().top ?? 0) + window.scrollY
}

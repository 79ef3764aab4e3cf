import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { KeysDialog } from '../session/keys-dialog.tsx'
import { onKeys } from '../session/shortcuts.ts'

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Filter; Enter searches all texts'],
  ['Ctrl K', 'Go to a session, a project or a command'],
  ['j  k', 'Next and previous session'],
  ['o', 'Open the session'],
  ['c', 'Compare the session with the next one that you open'],
  ['x', 'Next session that waits or failed'],
  ['g  G', 'First and last session in view'],
  ['?', 'This help'],
]

interface ListKeysProps {
  readonly field: RefObject<HTMLInputElement | null>
  /** Makes a session the first one of a comparison. */
  readonly onCompare: (id: string) => void
}

/** The keys of the list, and their help. */
export function ListKeys({ field, onCompare }: ListKeysProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(
    () =>
      onKeys({
        '/': () => field.current?.select(),
        j: () => goTo(1),
        k: () => goTo(-1),
        o: () => currentRow()?.click(),
        c: () => onCompare(currentRow()?.dataset.id ?? ''),
        x: goToNextProblem,
        g: () => goToEdge(0),
        G: () => goToEdge(document.documentElement.scrollHeight),
        '?': () => dialog.current?.showModal(),
      }),
    [field, onCompare],
  )
  return <KeysDialog dialog={dialog} keys={KEYS} />
}

/** The rows that the page has: those near the view, and the first or last one of each group. */
function rows(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('.list-row')]
}

function currentRow(): HTMLElement | undefined {
  return rows().find((row) => row.matches(':focus'))
}

/** Without a row that has the focus, the keys begin at the first one in view. */
function goTo(step: 1 | -1): void {
  const all = rows()
  const at = all.findIndex((row) => row.matches(':focus'))
  const first = all.find((row) => row.getBoundingClientRect().top >= 0)
  focus(at === -1 ? first : all[at + step])
}

function goToNextProblem(): void {
  const all = rows()
  const at = all.findIndex((row) => row.matches(':focus'))
  const isProblem = ({ dataset: { status } }: HTMLElement) => status === 'waiting' || status === 'failed'
  focus(all.slice(at + 1).find(isProblem) ?? all.find(isProblem))
}

function goToEdge(top: number): void {
  window.scrollTo({ top, behavior: 'instant' })
  // The rows of that place are there in the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => focus(rows().at(top === 0 ? 0 : -1))))
}

function focus(row: HTMLElement | undefined): void {
  row?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
}

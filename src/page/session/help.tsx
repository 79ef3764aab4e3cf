import { type ReactNode, useEffect, useRef } from 'react'
import { useOpenState } from '../rows/open-state.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { onKeys } from './shortcuts.ts'
import { Theme } from './theme.tsx'

const KEYS: readonly (readonly [string, string])[] = [
  ['/  Ctrl F', 'Search'],
  ['Ctrl K', 'Go to an agent, a file, a prompt or a command'],
  ['n  N', 'Next and previous match'],
  ['j  k', 'Next and previous prompt'],
  ['x  X', 'Next and previous failure'],
  ['l', 'Copy a link to the focused part'],
  ['e  c', 'Open and close everything'],
  ['g  G', 'Start and end'],
  ['?', 'This help'],
]

/** The buttons that open and close everything, those of `children`, and the help with the keys. */
export function Help({ children }: { readonly children: ReactNode }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = useOpenState()
  useEffect(
    () =>
      onKeys({
        '?': () => dialog.current?.showModal(),
        e: () => open.setAll(true),
        c: () => open.setAll(false),
        g: () => window.scrollTo({ top: 0 }),
        G: () => window.scrollTo({ top: document.documentElement.scrollHeight }),
      }),
    [open],
  )
  return (
    <div className="help">
      <button type="button" onClick={() => open.setAll(true)}>
        Open all
      </button>
      <button type="button" onClick={() => open.setAll(false)}>
        Close all
      </button>
      {children}
      <KeysDialog dialog={dialog} keys={KEYS} />
      <Theme />
    </div>
  )
}

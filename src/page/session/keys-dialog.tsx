import type { ReactNode, RefObject } from 'react'
import { setShortcuts } from './shortcuts.ts'

interface KeysDialogProps {
  readonly dialog: RefObject<HTMLDialogElement | null>
  /** Each key with its action. */
  readonly keys: readonly (readonly [key: string, action: string])[]
}

/** The button that shows the keys of a page, and their list. A reader can turn them off there. */
export function KeysDialog({ dialog, keys }: KeysDialogProps): ReactNode {
  return (
    <>
      <button type="button" className="keys-button" onClick={() => dialog.current?.showModal()}>
        Keys
      </button>
      <dialog ref={dialog} aria-labelledby="keys-head">
        <h2 id="keys-head">Keys</h2>
        <dl className="keys">
          {keys.map(([key, action]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{action}</dd>
            </div>
          ))}
        </dl>
        <label>
          <input type="checkbox" defaultChecked onChange={({ target }) => setShortcuts(target.checked)} /> Use
          these keys
        </label>
        <p>
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </p>
      </dialog>
    </>
  )
}

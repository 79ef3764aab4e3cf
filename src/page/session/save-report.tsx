import { useSessionStore } from 'agentfold/react'
import { type ReactNode, useState } from 'react'
import { withSession } from '../../cli/page/with-session.ts'
import { sessionTitle } from '../../core/selectors/session-title.ts'

/** A button that saves the session of the page as one file that opens without a server. `from` is the address of an empty report. */
export function SaveReport({ from }: { readonly from: string }): ReactNode {
  const store = useSessionStore()
  const [label, setLabel] = useState('Save report')
  const save = async (): Promise<void> => {
    const response = await fetch(from).catch(() => undefined)
    // It may end in the middle, too.
    const report = response?.ok ? await response.text().catch(() => undefined) : undefined
    if (report === undefined) return setLabel('Not saved: the server has ended')
    const state = store.getState()
    try {
      download(withSession(report, state), `${sessionTitle(state)?.slice(0, 60) ?? 'session'}.html`)
      setLabel('Save report')
    } catch (error) {
      setLabel(`Not saved: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return (
    <button
      type="button"
      className="copy"
      title="One file with all that this page can show. It opens without a network, and has no link to this computer."
      onClick={() => void save()}
    >
      {label}
    </button>
  )
}

function download(html: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([html], { type: 'text/html' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

import { createSessionStore } from 'agentfold'
import { type ReactNode, useState } from 'react'
import { SessionView } from '../../../src/page/session/session-view.tsx'
import type { ReadSession } from './sessions-in-files.ts'
import { shareLink } from './share-link.ts'

interface OpenedSessionProps {
  /** The path of the session's file. */
  readonly name: string
  readonly session: ReadSession
}

/** A session with the page of `agentfold serve`, and a bar above it. */
export function OpenedSession({ name, session: { state, issues } }: OpenedSessionProps): ReactNode {
  const [store] = useState(() => createSessionStore({ state }))
  return (
    <>
      <header className="site-bar">
        <a href={location.pathname}>← Open another session</a>
        <span className="site-name" dir="auto">
          {name}
        </span>
        {issues.length > 0 && <Issues issues={issues} />}
        <CopyLink state={state} />
      </header>
      <SessionView store={store} />
    </>
  )
}

/** The lines that were not read. */
function Issues({ issues }: Pick<ReadSession, 'issues'>): ReactNode {
  const count = issues.reduce((sum, { count = 1 }) => sum + count, 0)
  return (
    <details className="site-issues">
      <summary>{count === 1 ? '1 issue' : `${count} issues`}</summary>
      <ul>
        {issues.map(({ code, line, count: times }) => (
          <li key={`${code} ${line}`}>
            {code}
            {line !== undefined && `, line ${line}`}
            {times !== undefined && times > 1 && `, ${times} times`}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** In UTF-16 units. Longer addresses do not fit into a message or a browser. */
const LONGEST_LINK = 200_000

/** Copies an address with the whole session in it. */
function CopyLink({ state }: Pick<ReadSession, 'state'>): ReactNode {
  const [outcome, setOutcome] = useState('')
  const copy = async (): Promise<void> => {
    const link = await shareLink(state)
    if (link.length > LONGEST_LINK) {
      setOutcome('The session is too long for a link: send its file.')
      return
    }
    await navigator.clipboard.writeText(link).then(
      () => setOutcome('Copied. The whole session is in the link, without secrets of common forms.'),
      () => setOutcome('The browser does not allow to copy.'),
    )
  }
  return (
    <>
      <button type="button" className="plain" onClick={() => void copy()}>
        Copy share link
      </button>
      <span role="status">{outcome}</span>
    </>
  )
}

import { useSession } from 'agentfold/react'
import type { ConnectionStatus, SessionConnection } from 'agentfold/sync'
import { type ReactNode, useSyncExternalStore } from 'react'
import { ChangesView } from '../changes/changes-view.tsx'
import { useView } from '../changes/use-view.ts'
import { Views } from '../changes/views.tsx'
import { RowList } from '../rows/row-list.tsx'
import { Hits } from '../search/hits.tsx'
import { SearchBar } from '../search/search-bar.tsx'
import { useSearch } from '../search/use-search.ts'
import { ErrorBoundary } from '../text/error-boundary.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { Announcements } from './announcements.tsx'
import { isEmptySession } from './empty-session.ts'
import { Filters } from './filters.tsx'
import { Help } from './help.tsx'
import { Outcome } from './outcome.tsx'
import { SessionBar } from './session-bar.tsx'
import { SessionPalette } from './session-palette.tsx'
import { SidePanel } from './side-panel.tsx'
import { useFailureKeys } from './use-failure-keys.ts'
import { useFollowedEnd } from './use-followed-end.ts'
import { useNarrowMenu } from './use-narrow-menu.ts'
import { useOpenedAt } from './use-opened-at.ts'

interface SessionPageProps {
  readonly connection: SessionConnection | undefined
  /** Whether the session is in a list of the same server. */
  readonly isListed: boolean
  readonly wayOn: ReactNode
  /** The tab keeps choices and the title under this name. */
  readonly name: string | undefined
}

/** The session: its conversation, with its agents, prompts and plan beside it. Without a connection it is a report. */
export function SessionPage({ connection, isListed, wayOn, name }: SessionPageProps): ReactNode {
  const status = useConnectionStatus(connection)
  const view = useView()
  const isWide = view === 'changes'
  const { growing, isAtEnd, goToEnd } = useFollowedEnd<HTMLElement>({
    isLive: connection !== undefined,
    isShown: !isWide,
  })
  useOpenedAt()
  const goToNextFailure = useFailureKeys()
  const search = useSearch()
  const { isMenuOpen, toggleMenu, closeAfterChoice } = useNarrowMenu()
  return (
    <div className="page">
      <button type="button" className="skip-link" onClick={() => growing.current?.focus()}>
        Go to the conversation
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button is a click too */}
      <aside className="side" aria-label="Session" onClick={closeAfterChoice}>
        {isListed && (
          <nav className="to-list" aria-label="Sessions">
            <a className="all-sessions" href="./">
              ← All sessions
            </a>
            <a className="all-sessions" href={`./?with=${location.pathname.split('/').at(-1)}`}>
              Compare …
            </a>
          </nav>
        )}
        <SessionBar connectionStatus={status} isMenuOpen={isMenuOpen} toggleMenu={toggleMenu} name={name} />
        <SearchBar search={search} />
        {search.query !== '' && <Hits search={search} />}
        <div className={isMenuOpen ? 'menu' : 'menu closed'} id="menu">
          {search.query === '' && <SidePanel />}
          <Filters />
          <Help>
            <SessionPalette isListed={isListed} goToNextFailure={goToNextFailure} />
          </Help>
        </div>
      </aside>
      {/* It is focusable, so that the keyboard can continue from its start. */}
      <main className={isWide ? 'conversation wide' : 'conversation'} ref={growing} tabIndex={-1}>
        <ConnectionBanner status={status} />
        <Views view={view} />
        {isWide ? (
          <ErrorBoundary value={view} fallback={() => <p className="note">The changes cannot be shown.</p>}>
            <ChangesView />
          </ErrorBoundary>
        ) : (
          <>
            {/* A text that breaks them must not hide the conversation. */}
            <ErrorBoundary value={view} fallback={() => null}>
              <Outcome wayOn={wayOn} />
              <Timeline />
            </ErrorBoundary>
            <RowList />
          </>
        )}
        <EmptyNote status={status} />
      </main>
      <Announcements />
      {!isAtEnd && !isWide && (
        <button type="button" className="to-end" onClick={goToEnd}>
          {connection ? 'Latest' : 'End'} ↓
        </button>
      )}
    </div>
  )
}

function useConnectionStatus(connection: SessionConnection | undefined): ConnectionStatus | undefined {
  return useSyncExternalStore(connection?.subscribe ?? noSubscription, () => connection?.status)
}

function noSubscription(): () => void {
  return () => {}
}

interface StatusProps {
  readonly status: ConnectionStatus | undefined
}

/** Tells that the page is no longer up to date. */
function ConnectionBanner({ status }: StatusProps): ReactNode {
  if (status !== 'lost') return null
  return (
    <p className="banner">
      <strong>The connection is lost.</strong> The page shows what it has received, and tries again. If{' '}
      <code>agentfold serve</code> has ended, start it again and open its new address.
    </p>
  )
}

function EmptyNote({ status }: StatusProps): ReactNode {
  const isEmpty = useSession(isEmptySession)
  if (!isEmpty || status === 'lost') return null
  return (
    <div className="empty">
      <p className="note">{EMPTY[status ?? 'live']}</p>
      {status === 'connecting' && <progress aria-label="Loading the session" />}
    </div>
  )
}

const EMPTY: Readonly<Record<Exclude<ConnectionStatus, 'lost'>, string>> = {
  connecting: 'Loading the session …',
  live: 'The session has no messages yet.',
  ended: 'The session was removed.',
  refused: 'The session is not here: the server has ended, or cannot read it.',
}

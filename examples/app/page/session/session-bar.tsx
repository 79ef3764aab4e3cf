import { contextTokens, fileChanges, type SessionConversationState, type SessionFacts } from 'agentfold'
import { useSession, useSessionStatus } from 'agentfold/react'
import type { ReactNode } from 'react'
import { LastEvent } from '../time/last-event.tsx'
import { filesText } from '../tools/changes.tsx'
import type { ConnectionStatus } from './connection.ts'
import { StatusMark } from './status-mark.tsx'
import { shortCount } from './tokens.ts'
import { Waiting } from './waiting.tsx'

const WORDS: Readonly<Record<ConnectionStatus, string>> = {
  connecting: 'connecting …',
  live: 'connected',
  lost: 'connection lost, trying again …',
}

interface SessionBarProps {
  /** Absent in a report. */
  readonly connectionStatus: ConnectionStatus | undefined
  readonly isMenuOpen: boolean
  readonly toggleMenu: () => void
}

/** The facts of the session, its status, the status of the connection, and the open requests: on a narrow page, the bar is always in view. */
export function SessionBar({ connectionStatus, isMenuOpen, toggleMenu }: SessionBarProps): ReactNode {
  const facts = useSession(factsOf)
  return (
    <header className="bar">
      <h1>{facts.program ?? 'Session'}</h1>
      {connectionStatus && (
        <p className={`connection ${connectionStatus}`} role="status" data-connection={connectionStatus}>
          {WORDS[connectionStatus]}
        </p>
      )}
      <button
        type="button"
        className="menu-button"
        aria-expanded={isMenuOpen}
        aria-controls="menu"
        onClick={toggleMenu}
      >
        Contents
      </button>
      <SessionState />
      <Facts facts={facts} />
      <Waiting />
    </header>
  )
}

/** What the session does now, and why it failed. */
function SessionState(): ReactNode {
  const status = useSessionStatus()
  const error = useSession(errorOf)
  return (
    <p className="session-status" role="status" data-session-status={status}>
      <StatusMark status={status} />
      <LastEvent />
      {status === 'failed' && error !== undefined && <span className="reason">: {error}</span>}
    </p>
  )
}

function errorOf({ turn }: SessionConversationState): string | undefined {
  return turn.error
}

function factsOf({ session }: SessionConversationState): SessionFacts {
  return session
}

function Facts({ facts: { model, version, cwd, costUsd } }: { readonly facts: SessionFacts }): ReactNode {
  const context = useSession(contextOf)
  const files = useSession(filesOf)
  return (
    <dl className="facts">
      <Fact name="Model">{model}</Fact>
      <Fact name="Version">{version}</Fact>
      <Fact name="Folder">{cwd}</Fact>
      <Fact name="Cost" isFigure>
        {costUsd === undefined ? undefined : `$${costUsd.toFixed(4)}`}
      </Fact>
      <Fact name="Context" isFigure>
        {context === undefined ? undefined : `${shortCount(context)} tokens`}
      </Fact>
      <Fact name="Changed" isFigure>
        {files}
      </Fact>
    </dl>
  )
}

interface FactProps {
  readonly name: string
  /** A narrow page shows the figures alone. */
  readonly isFigure?: boolean
  readonly children: string | undefined
}

function Fact({ name, isFigure = false, children }: FactProps): ReactNode {
  if (children === undefined) return null
  return (
    <div className={isFigure ? 'figure' : undefined} data-fact={name}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function contextOf(state: SessionConversationState): number | undefined {
  return contextTokens(state)
}

/** Returns text, because the list of changes is a new one each time. */
function filesOf(state: SessionConversationState): string | undefined {
  const changes = fileChanges(state)
  return changes.length === 0 ? undefined : filesText(changes)
}

import type { SessionConversationState, SessionFacts } from 'agentfold'
import { useSession, useSessionStatus } from 'agentfold/react'
import type { ReactNode } from 'react'
import type { ConnectionStatus } from './connection.ts'
import { StatusMark } from './status-mark.tsx'

const WORDS: Readonly<Record<ConnectionStatus, string>> = {
  connecting: 'connecting …',
  live: 'connected',
  lost: 'connection lost, trying again …',
}

/** The facts of the session, its status, and the status of the connection. */
export function SessionBar({ connectionStatus }: { readonly connectionStatus: ConnectionStatus }): ReactNode {
  const facts = useSession(factsOf)
  return (
    <header className="bar">
      <h1>{facts.program ?? 'Session'}</h1>
      <p className={`connection ${connectionStatus}`} role="status" data-connection={connectionStatus}>
        {WORDS[connectionStatus]}
      </p>
      <SessionState />
      <Facts facts={facts} />
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
  const known = [
    ['Model', model],
    ['Version', version],
    ['Folder', cwd],
    ['Cost', costUsd === undefined ? undefined : `$${costUsd.toFixed(4)}`],
  ] as const
  return (
    <dl className="facts">
      {known.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

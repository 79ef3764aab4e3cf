import type { SessionConversationState, SessionFacts } from 'agentfold'
import { useSession } from 'agentfold/react'
import type { ReactNode } from 'react'
import type { ConnectionStatus } from './connection.ts'

const WORDS: Readonly<Record<ConnectionStatus, string>> = {
  connecting: 'connecting …',
  live: 'connected',
  lost: 'connection lost, trying again …',
}

/** The facts of the session, and the status of the connection. */
export function SessionBar({ connectionStatus }: { readonly connectionStatus: ConnectionStatus }): ReactNode {
  const facts = useSession(factsOf)
  return (
    <header className="bar">
      <h1>{facts.program ?? 'Session'}</h1>
      <p className={`connection ${connectionStatus}`} role="status" data-connection={connectionStatus}>
        {WORDS[connectionStatus]}
      </p>
      <Facts facts={facts} />
    </header>
  )
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

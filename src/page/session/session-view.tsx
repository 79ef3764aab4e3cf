import type { SessionStore } from 'agentfold'
import { SessionProvider } from 'agentfold/react'
import type { SessionConnection } from 'agentfold/sync'
import { type ReactNode, useEffect, useState } from 'react'
import { AnswerProvider, type OnAnswer } from '../blocks/answer.tsx'
import { Filter } from '../rows/filter.ts'
import { Navigator, NavigatorProvider } from '../rows/navigator.tsx'
import { OpenProvider, OpenState } from '../rows/open-state.tsx'
import { Live } from '../time/last-event.tsx'
import { SessionPage } from './session-page.tsx'

interface SessionViewProps {
  readonly store: SessionStore
  /** Keeps the store up to date. Without it, the session is a report. */
  readonly connection?: SessionConnection | undefined
  /** Whether the session is in a list of the same server. */
  readonly isListed?: boolean
  /** Sends the answers of the person to the program. With it, open requests have buttons. */
  readonly onAnswer?: OnAnswer
  /** What a person can do with the session beside copying its link. */
  readonly wayOn?: ReactNode
  /** The tab keeps the chosen filter under this name. Without it, a page that is loaded again shows everything. */
  readonly name?: string
}

/** A session of a store, with its conversation, agents, prompts, plan, search and timeline. */
export function SessionView({
  store,
  connection,
  isListed = false,
  onAnswer,
  wayOn,
  name,
}: SessionViewProps): ReactNode {
  const [open] = useState(() => new OpenState())
  const [navigator] = useState(() => new Navigator(store, open, new Filter(name)))
  useEffect(() => {
    const stop = new AbortController()
    window.addEventListener('beforeprint', () => open.setPrinting(true), { signal: stop.signal })
    window.addEventListener('afterprint', () => open.setPrinting(false), { signal: stop.signal })
    return () => stop.abort()
  }, [open])
  return (
    <SessionProvider store={store}>
      <OpenProvider open={open}>
        <NavigatorProvider value={navigator}>
          <Live isConnected={connection !== undefined}>
            <AnswerProvider value={onAnswer}>
              <SessionPage connection={connection} isListed={isListed} wayOn={wayOn} name={name} />
            </AnswerProvider>
          </Live>
        </NavigatorProvider>
      </OpenProvider>
    </SessionProvider>
  )
}

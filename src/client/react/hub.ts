import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useSyncExternalStore,
} from 'react'
import type { HubSessionSummary } from '../../server/hub/session-summary.ts'
import type { HubConnection, SessionView } from '../connect/hub-connection.ts'
import type { ConnectionStatus } from '../connect/message-stream.ts'

const HubContext = /* @__PURE__ */ createContext<HubConnection | null>(null)

/** The hub for the components inside the provider. */
export interface HubProviderProps {
  /** The result of `connectHub`. Make it once, outside a component. */
  readonly hub: HubConnection
  readonly children?: ReactNode
}

/** Provides the sessions of a hub to the components inside it. */
export function HubProvider({ hub, children }: HubProviderProps): ReactElement {
  return createElement(HubContext.Provider, { value: hub }, children)
}

function useHub(): HubConnection {
  const hub = useContext(HubContext)
  if (!hub) throw new Error('no hub: put a <HubProvider hub={…}> above this component')
  return hub
}

/**
 * Follows a session of the hub while the component is shown, and returns its store with its status. Pass the store to
 * a `SessionProvider`. The component renders again when the status changes. Throws an `Error` outside a
 * `HubProvider`.
 */
export function useHubSession(id: string): SessionView {
  const hub = useHub()
  const subscribe = useCallback(
    (listener: () => void) => {
      const session = hub.session(id)
      const end = session.subscribe(listener)
      return () => {
        end()
        session.close()
      }
    },
    [hub, id],
  )
  const getView = useCallback(() => hub.view(id), [hub, id])
  return useSyncExternalStore(subscribe, getView, getView)
}

/** Returns the list of the hub's sessions, the newest first. Throws an `Error` outside a `HubProvider`. */
export function useHubSessions(): readonly HubSessionSummary[] {
  const { sessions } = useHub()
  return useSyncExternalStore(sessions.subscribe, sessions.get, sessions.get)
}

/**
 * Returns the status of the hub's connection: while it is `lost`, the list
 * is that of before. Throws an `Error` outside a `HubProvider`.
 */
export function useHubStatus(): ConnectionStatus {
  const hub = useHub()
  const getStatus = () => hub.status
  return useSyncExternalStore(hub.subscribe, getStatus, getStatus)
}

/** Returns the function that answers an open request: `answer` of the hub. Throws an `Error` outside a `HubProvider`. */
export function useAnswer(): HubConnection['answer'] {
  return useHub().answer
}

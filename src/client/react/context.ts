import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useState,
} from 'react'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { SessionStore } from '../../core/store/store.ts'
import { BlockListeners } from './block-listeners.ts'

interface Session {
  readonly store: SessionStore
  readonly getServerState: () => SessionConversationState
  readonly blockListeners: BlockListeners
}

const SessionContext = /* @__PURE__ */ createContext<Session | null>(null)

/** The session for the components inside the provider. */
export interface SessionProviderProps {
  readonly store: SessionStore
  /**
   * The state that the server rendered. The default is the store's state at the provider's first render. Pass it if events can
   * arrive before React hydrates the page.
   */
  readonly serverState?: SessionConversationState
  readonly children?: ReactNode
}

/** Provides a session to the components inside it. Each hook throws an `Error` outside a provider. */
export function SessionProvider({ store, serverState, children }: SessionProviderProps): ReactElement {
  // React may hydrate parts of a page late. They too must start with the state that the server rendered.
  const [firstState] = useState(() => store.getState())
  const hydrationState = serverState ?? firstState
  const session = useMemo(
    () => ({
      store,
      getServerState: () => hydrationState,
      blockListeners: new BlockListeners(store),
    }),
    [store, hydrationState],
  )
  return createElement(SessionContext.Provider, { value: session }, children)
}

/** Returns the session of the nearest provider. Throws an `Error` if there is none. */
export function useSessionContext(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('no session: put a <SessionProvider store={…}> above this component')
  return session
}

/** Returns the store of the nearest provider, for dispatching events. Throws an `Error` if there is none. */
export function useSessionStore(): SessionStore {
  return useSessionContext().store
}

import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useState,
} from 'react'
import type { SessionConversationState } from '../state/session.ts'
import type { SessionStore } from '../store/store.ts'
import { BlockListeners } from './block-listeners.ts'

interface Session {
  readonly store: SessionStore
  readonly serverState: SessionConversationState
  readonly blockListeners: BlockListeners
}

const SessionContext = /* @__PURE__ */ createContext<Session | null>(null)

/** The session that what is below the provider shows. */
export interface SessionProviderProps {
  readonly store: SessionStore
  /**
   * The state that the server's page was made of; the store's state when the provider is first rendered, unless given. Give it
   * where events may come before the page is hydrated.
   */
  readonly serverState?: SessionConversationState
  readonly children?: ReactNode
}

/** Gives the components below it a session. */
export function SessionProvider({ store, serverState: given, children }: SessionProviderProps): ReactElement {
  // Parts of a page may be hydrated late, and have to begin with what the server had.
  const [first] = useState(() => store.getState())
  const serverState = given ?? first
  const session = useMemo(
    () => ({ store, serverState, blockListeners: new BlockListeners(store) }),
    [store, serverState],
  )
  return createElement(SessionContext.Provider, { value: session }, children)
}

/** Returns the session above the component. Throws an `Error` if there is none. */
export function useSessionContext(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('no session: put a <SessionProvider store={…}> above this component')
  return session
}

/** Returns the store of the session above the component, to dispatch to. Throws an `Error` if there is none. */
export function useSessionStore(): SessionStore {
  return useSessionContext().store
}

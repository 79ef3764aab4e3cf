import type { SessionConversationState, SessionStore } from 'agentfold'
import { createRoot } from 'react-dom/client'
import { embeddedState } from './session/embedded-session.ts'
import { SessionView } from './session/session-view.tsx'
import { applyTheme } from './session/theme.tsx'

const root = document.getElementById('root')
const state = embeddedState()
if (!root || !state) throw new Error('the report has no #root, or no session')
applyTheme()
createRoot(root).render(<SessionView store={storeOf(state)} name={location.pathname} />)

/** Returns the store of a session that never changes. A report needs neither the reducer nor the connection to a server. */
function storeOf(state: SessionConversationState): SessionStore {
  const nothing = (): void => {}
  const getState = (): SessionConversationState => state
  const subscribe = () => nothing
  return {
    ...{ getState, flush: getState, subscribe, subscribeTo: subscribe },
    ...{ dispatch: nothing, dispatchAll: nothing, replaceState: nothing },
  }
}

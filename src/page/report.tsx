import type { SessionConversationState, SessionStore } from 'agentfold'
import { restore } from 'agentfold/sync'
import { createRoot } from 'react-dom/client'
import { showDirections } from '../redaction/printable.ts'
import { SessionView } from './session/session-view.tsx'
import { applyTheme } from './session/theme.tsx'

const root = document.getElementById('root')
const state = embeddedState()
if (!root || !state) throw new Error('the report has no #root, or no session')
applyTheme()
createRoot(root).render(<SessionView store={storeOf(state)} name={location.pathname} />)

/** Returns the session that the file has with it; undefined if a server sends it. */
function embeddedState(): SessionConversationState | undefined {
  const text = document.getElementById('session')?.textContent
  return text ? restore(JSON.parse(showDirections(text))).state : undefined
}

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

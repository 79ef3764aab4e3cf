import { createSessionStore } from 'agentfold'
import { createRoot } from 'react-dom/client'
import { Connection } from './session/connection.ts'
import { embeddedState } from './session/embedded-session.ts'
import { SessionView } from './session/session-view.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

const embedded = embeddedState()
const store = createSessionStore(embedded ? { state: embedded } : {})
const connection = embedded ? undefined : new Connection(store)

createRoot(root).render(<SessionView store={store} connection={connection} />)
void connection?.start()

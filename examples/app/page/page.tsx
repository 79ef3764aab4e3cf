import { createSessionStore } from 'agentfold'
import { SessionProvider } from 'agentfold/react'
import { createRoot } from 'react-dom/client'
import { Connection } from './session/connection.ts'
import { SessionPage } from './session/session-page.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

const store = createSessionStore()
const connection = new Connection(store)

createRoot(root).render(
  <SessionProvider store={store}>
    <SessionPage connection={connection} />
  </SessionProvider>,
)
void connection.start()

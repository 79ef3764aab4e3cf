import { createSessionStore } from 'agentfold'
import { SessionProvider } from 'agentfold/react'
import { createRoot } from 'react-dom/client'
import { Navigator, NavigatorProvider } from './rows/navigator.tsx'
import { OpenProvider, OpenState } from './rows/open-state.tsx'
import { Connection } from './session/connection.ts'
import { embeddedState } from './session/embedded-session.ts'
import { SessionPage } from './session/session-page.tsx'
import { Live } from './time/last-event.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

const embedded = embeddedState()
const store = createSessionStore(embedded ? { state: embedded } : {})
const connection = embedded ? undefined : new Connection(store)
const open = new OpenState()
window.addEventListener('beforeprint', () => open.setPrinting(true))
window.addEventListener('afterprint', () => open.setPrinting(false))

createRoot(root).render(
  <SessionProvider store={store}>
    <OpenProvider open={open}>
      <NavigatorProvider value={new Navigator(store, open)}>
        <Live isConnected={connection !== undefined}>
          <SessionPage connection={connection} />
        </Live>
      </NavigatorProvider>
    </OpenProvider>
  </SessionProvider>,
)
void connection?.start()

import {
  HubProvider,
  SessionProvider,
  useBlock,
  useBlockIds,
  useHubSession,
  useHubSessions,
  useSessionStatus,
} from 'agentfold/react'
import { connectHub } from 'agentfold/sync'
import { memo } from 'react'
import { createRoot } from 'react-dom/client'

const Fleet = () => {
  const ids = useHubSessions().map(({ id }) => id)
  return ids.sort().map((id) => <Session key={id} id={id} />)
}
const Session = ({ id }: { id: string }) => (
  <SessionProvider store={useHubSession(id).store}>
    <section aria-label={id}>
      <h2>
        {id}: <Status />
      </h2>
      <Thread />
    </section>
  </SessionProvider>
)
const Status = () => useSessionStatus()
const Thread = () => useBlockIds('main').map((id) => <Block key={id} id={id} />)
const Block = memo(function Block({ id }: { id: string }) {
  const block = useBlock('main', id)
  return <p>{block?.type === 'assistant_text' ? block.content : block?.type}</p>
})

createRoot(document.body).render(
  <HubProvider hub={connectHub('/')}>
    <Fleet />
  </HubProvider>,
)

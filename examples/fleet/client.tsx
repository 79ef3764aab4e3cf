import { createSessionStore } from 'agentfold'
import { SessionProvider, useBlock, useBlockIds, useSessionStatus } from 'agentfold/react'
import { createSyncState, receive, restore } from 'agentfold/sync'
import { memo } from 'react'
import { createRoot } from 'react-dom/client'

/** Follows a session from the snapshot of its worker. */
async function storeOf(id: string) {
  const taken = restore(await (await fetch(`/snapshot/${id}`)).json())
  const store = createSessionStore({ state: taken.state })
  let sync = createSyncState(taken)
  const source = new EventSource(`/events/${id}?after=${taken.seq}`)
  source.onmessage = ({ data }) => {
    const received = receive(sync, JSON.parse(data))
    sync = received.sync
    store.dispatchAll(received.events)
  }
  source.addEventListener('reset', () => location.reload())
  return { id, store }
}

const Session = ({ id }: { id: string }) => (
  <section aria-label={id}>
    <h2>
      {id}: {useSessionStatus()}
    </h2>
    {useBlockIds('main').map((blockId) => (
      <Block key={blockId} id={blockId} />
    ))}
  </section>
)
const Block = memo(function Block({ id }: { id: string }) {
  const block = useBlock('main', id)
  return <p>{block?.type === 'assistant_text' ? block.content : block?.type}</p>
})

const ids: readonly string[] = await (await fetch('/sessions')).json()
const sessions = await Promise.all(ids.map(storeOf))
createRoot(document.body).render(
  sessions.map(({ id, store }) => (
    <SessionProvider key={id} store={store}>
      <Session id={id} />
    </SessionProvider>
  )),
)

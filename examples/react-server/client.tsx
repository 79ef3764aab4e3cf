import { createSessionStore } from 'agentfold'
import { SessionProvider, useBlock, useBlockIds, useSessionStatus } from 'agentfold/react'
import { createSyncState, receive, restore } from 'agentfold/sync'
import { createRoot } from 'react-dom/client'

const taken = restore(await (await fetch('/snapshot')).json())
const store = createSessionStore({ state: taken.state })
let sync = createSyncState(taken)
new EventSource(`/events?after=${taken.seq}`).onmessage = ({ data }) => {
  const received = receive(sync, JSON.parse(data))
  sync = received.sync
  store.dispatchAll(received.events) // one change of the state per frame
  if (received.issues.some(({ code }) => code === 'different-log')) location.reload()
}

const Session = () => (
  <main>
    <h1>{useSessionStatus()}</h1>
    <Conversation id="main" />
  </main>
)
const Conversation = ({ id }: { id: string }) =>
  useBlockIds(id).map((blockId) => <Block key={blockId} id={blockId} of={id} />)
const Block = ({ id, of }: { id: string; of: string }) => {
  const block = useBlock(of, id) // a delta renders only its block
  if (block?.type === 'subagent')
    return (
      <details open>
        <summary>{block.description ?? block.name}</summary>
        <Conversation id={block.toolUseId} />
      </details>
    )
  return (
    <p>{block && 'content' in block && typeof block.content === 'string' ? block.content : block?.type}</p>
  )
}
createRoot(document.body).render(
  <SessionProvider store={store}>
    <Session />
  </SessionProvider>,
)

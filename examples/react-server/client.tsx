import { createSessionStore } from 'agentfold'
import { SessionProvider, useBlock, useBlockIds, useSessionStatus } from 'agentfold/react'
import { createSyncState, receive, restore } from 'agentfold/sync'
import { memo } from 'react'
import { createRoot } from 'react-dom/client'

const taken = restore(await (await fetch('/snapshot')).json())
const store = createSessionStore({ state: taken.state })
let sync = createSyncState(taken)
const source = new EventSource(`/events?after=${taken.seq}`)
source.onmessage = ({ data }) => {
  const received = receive(sync, JSON.parse(data))
  sync = received.sync
  store.dispatchAll(received.events) // one change of the state per frame
  if (received.issues.some(({ code }) => code === 'different-log')) location.reload()
}
source.onerror = () => {
  // The server refused the stream, for example because its log has lost events. A new snapshot has a place that it knows.
  if (source.readyState === source.CLOSED) setTimeout(() => location.reload(), 1_000)
}

const Session = () => (
  <main>
    <h1>{useSessionStatus()}</h1>
    <Conversation id="main" />
  </main>
)
const Conversation = ({ id }: { id: string }) =>
  useBlockIds(id).map((blockId) => <Block key={blockId} id={blockId} of={id} />)
const Block = memo(function Block({ id, of }: { id: string; of: string }) {
  const block = useBlock(of, id) // a delta renders only its block
  switch (block?.type) {
    case 'subagent':
      return (
        <details open>
          <summary>{block.description ?? block.name}</summary>
          <Conversation id={block.toolUseId} />
        </details>
      )
    case 'assistant_text':
    case 'thinking':
      return <p>{block.content}</p>
    default:
      return <p>{block?.type}</p> // a prompt, a call, a result: one case for each type that you show
  }
})
createRoot(document.body).render(
  <SessionProvider store={store}>
    <Session />
  </SessionProvider>,
)

import { SessionProvider, useBlock, useBlockIds, useSessionStatus } from 'agentfold/react'
import { connectSession } from 'agentfold/sync'
import { memo } from 'react'
import { createRoot } from 'react-dom/client'

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
createRoot(document.body).render(
  ids.map((id) => (
    <SessionProvider key={id} store={connectSession(`/events/${id}`).store}>
      <Session id={id} />
    </SessionProvider>
  )),
)

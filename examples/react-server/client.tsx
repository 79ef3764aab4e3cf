import { SessionProvider, useBlock, useBlockIds, useSessionStatus } from 'agentfold/react'
import { connectSession } from 'agentfold/sync'
import { memo } from 'react'
import { createRoot } from 'react-dom/client'

const Status = () => <h1>{useSessionStatus()}</h1>
const Conversation = ({ id }: { id: string }) =>
  useBlockIds(id).map((blockId) => <Block key={blockId} id={blockId} of={id} />)
const Block = memo(function Block({ id, of }: { id: string; of: string }) {
  const block = useBlock(of, id) // a delta renders only its block
  if (block?.type === 'assistant_text' || block?.type === 'thinking') return <p>{block.content}</p>
  if (block?.type !== 'subagent') return <p>{block?.type}</p> // one case for each type that you show
  return (
    <section>
      <h2>{block.description ?? block.name}</h2>
      <Conversation id={block.toolUseId} />
    </section>
  )
})
createRoot(document.body).render(
  <SessionProvider store={connectSession('/session').store}>
    <Status />
    <Conversation id="main" />
  </SessionProvider>,
)

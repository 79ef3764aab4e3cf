import { type Price, textOf } from 'agentfold'
import {
  HubProvider,
  SessionProvider,
  useAnswer,
  useBlock,
  useBlockIds,
  useCost,
  useHubSession,
  useHubSessions,
  useRequests,
} from 'agentfold/react'
import { connectHub } from 'agentfold/sync'
import { memo, useState } from 'react'
import { createRoot } from 'react-dom/client'

const hub = connectHub('/')
const PRICE: Price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 }
const priceOf = () => PRICE

const Dashboard = () => {
  const [id, open] = useState<string>()
  const list = useHubSessions().map((each) => (
    <button key={each.id} type="button" onClick={() => open(each.id)}>
      {each.title ?? each.id}: {each.status}
    </button>
  ))
  return (
    <main>
      {list}
      {id && <Session key={id} id={id} />}
    </main>
  )
}
const Session = ({ id }: { id: string }) => {
  const { store, status } = useHubSession(id)
  return (
    <SessionProvider store={store}>
      <h1>
        {id} ({status})
      </h1>
      <Cost />
      <Requests id={id} />
      <Thread of="main" />
    </SessionProvider>
  )
}
const Cost = () => <p>${useCost(priceOf).usd.toFixed(2)}</p>
const Requests = ({ id }: { id: string }) => {
  const answer = useAnswer()
  return useRequests().map(({ block }) => (
    <fieldset key={block.id}>
      <legend>{block.title}</legend>
      {block.options?.map((option) => (
        <button key={option.id} type="button" onClick={() => void answer(id, block.id, option.id)}>
          {option.label}
        </button>
      ))}
    </fieldset>
  ))
}
const Thread = ({ of }: { of: string }) => useBlockIds(of).map((id) => <Block key={id} of={of} id={id} />)
const Block = memo(function Block({ of, id }: { of: string; id: string }) {
  const block = useBlock(of, id)
  return block?.type === 'subagent' ? (
    <Thread of={block.toolUseId} />
  ) : (
    <p>{block && (textOf(block) || block.type)}</p>
  )
})
createRoot(document.body).render(
  <HubProvider hub={hub}>
    <Dashboard />
  </HubProvider>,
)

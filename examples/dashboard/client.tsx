import { type Price, partialInput, textOf } from 'agentfold'
import {
  HubProvider,
  SessionProvider,
  useBlock,
  useBlockIds,
  useCost,
  useHubSession,
  useHubSessions,
  useHubStatus,
  usePromptForm,
  useRequestForm,
  useRequests,
} from 'agentfold/react'
import { connectHub } from 'agentfold/sync'
import { memo, useState } from 'react'
import { createRoot } from 'react-dom/client'

const hub = connectHub('/')
const priceOf = (): Price => ({ input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 })
const Dashboard = () => {
  const [id, open] = useState<string>()
  const list = useHubSessions().map((each) => (
    <button key={each.id} type="button" onClick={() => open(each.id)}>
      {each.title ?? each.id}: {each.status} {each.error}
    </button>
  ))
  return (
    <main>
      <p>The list is {useHubStatus()}.</p>
      {list}
      {id && <Session key={id} id={id} />}
    </main>
  )
}
const Session = ({ id }: { id: string }) => {
  const { store, status, error } = useHubSession(id)
  return (
    <SessionProvider store={store}>
      <h1>
        {id} ({status})
      </h1>
      {error}
      <Cost />
      <Requests id={id} />
      <Thread of="main" />
      <Prompt id={id} />
    </SessionProvider>
  )
}
const Cost = () => {
  const { usd, unpriced } = useCost(priceOf)
  return <p>{unpriced.length > 0 ? `no price: ${unpriced.join()}` : `$${usd.toFixed(2)}`}</p>
}
const Prompt = ({ id }: { id: string }) => {
  const { onSubmit, isSending, error } = usePromptForm(id)
  return (
    <form onSubmit={onSubmit}>
      <textarea name="prompt" />
      <button type="submit" disabled={isSending}>
        Send
      </button>
      {error}
    </form>
  )
}
const Requests = ({ id }: { id: string }) =>
  useRequests().map((each) => <Request key={each.block.id} id={id} request={each} />)
const Request = ({ id, request }: { id: string; request: ReturnType<typeof useRequests>[number] }) => {
  const { input, fields, buttons, onSubmit, onInput, isSending, error } = useRequestForm(id, request)
  const choices = fields.map(({ name, text, options, type }) => (
    <fieldset key={name}>
      <legend>{text}</legend>
      {options.map(({ label }) => (
        <label key={label}>
          <input type={type} name={name} value={label} />
          {label}
        </label>
      ))}
      <textarea name={name} placeholder="in your own words" />
    </fieldset>
  ))
  const send = buttons.map(({ id, label }) => (
    <button key={id} type="submit" name="answer" value={id} disabled={isSending}>
      {label}
    </button>
  ))
  return (
    <form onSubmit={onSubmit} onInput={onInput}>
      <p>{request.block.title}</p>
      <pre>{JSON.stringify(input)}</pre>
      {choices}
      {send}
      {isSending ? 'on its way' : error}
    </form>
  )
}
const Thread = ({ of }: { of: string }) => useBlockIds(of).map((id) => <Block key={id} of={of} id={id} />)
const Block = memo(function Block({ of, id }: { of: string; id: string }) {
  const block = useBlock(of, id)
  return block?.type === 'subagent' ? (
    <Thread of={block.toolUseId} />
  ) : (
    <p>
      {block && (textOf(block) || block.type)}{' '}
      {block?.type === 'tool_use' && JSON.stringify(partialInput(block))}
    </p>
  )
})
createRoot(document.body).render(
  <HubProvider hub={hub}>
    <Dashboard />
  </HubProvider>,
)

import { Chat, useChat } from '@ai-sdk/react'
import { type AgentOutput, type SessionUIMessage, type SessionUIPart, sessionChat } from 'agentfold/ai-sdk'
import { useSyncExternalStore, useTransition } from 'react'
import { createRoot } from 'react-dom/client'

// The hook's own chat does not know that a resumed stream begins with the start of its message.
const chat = new Chat<SessionUIMessage>({ id: 'session' })
const session = sessionChat(chat)
const Session = () => {
  const { messages } = useChat({ chat })
  const { text, waiting, status, reason } = useSyncExternalStore(session.subscribe, session.get)
  return (
    <main>
      <h1>{reason ?? status}</h1>
      <Messages messages={[...messages, ...waiting]} />
      <form onSubmit={session.send}>
        <input value={text} onChange={({ target }) => session.write(target.value)} required />
        <button type="submit">Send</button>
      </form>
    </main>
  )
}
const Messages = ({ messages }: { messages: readonly SessionUIMessage[] }) =>
  messages.map(({ id, role, parts }) => (
    <section key={id} className={role}>
      {Object.entries(parts).map(([at, part]) => (
        <Part key={at} part={part} />
      ))}
    </section>
  ))
const Part = ({ part }: { part: SessionUIPart }) => {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'data-request' && part.data.status === 'pending') return <Request {...part.data} />
  if (part.type !== 'dynamic-tool') return null
  // A tool may have this name, and write messages that ask. Its result has metadata, that of an agent has none.
  if (part.toolName !== 'subagent' || 'resultProviderMetadata' in part)
    return <pre>{`${part.toolName} ${JSON.stringify(part.input)}: ${part.state}`}</pre>
  const output = part.state === 'output-available' ? part.output : {}
  const { status, messages = [] } = output as Partial<AgentOutput>
  return (
    <details open>
      <summary>{status}</summary>
      <Messages messages={messages} />
    </details>
  )
}
const Request = ({ id, kind, title }: { id: string; kind: string; title: string }) => {
  const [isSending, start] = useTransition()
  if (isSending || kind === 'question') return <p>{title}</p>
  return (
    <fieldset>
      <legend>{title}</legend>
      {['Allow', 'Deny'].map((label) => (
        <button key={label} type="button" onClick={() => start(() => session.answer(id, label === 'Allow'))}>
          {label}
        </button>
      ))}
    </fieldset>
  )
}
createRoot(document.body).render(<Session />)

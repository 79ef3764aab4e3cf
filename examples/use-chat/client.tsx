import { Chat, useChat } from '@ai-sdk/react'
import { type AgentOutput, type SessionUIData, type SessionUIMetadata, sessionChat } from 'agentfold/ai-sdk'
import type { UIMessage } from 'ai'
import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'

type Message = UIMessage<SessionUIMetadata, SessionUIData>
// The hook's own chat does not know that a resumed stream begins with the start of its message.
const chat = new Chat<Message>({ id: 'session' })
const session = sessionChat(chat)

const Session = () => {
  const { messages } = useChat({ chat })
  const { text, waiting, status, reason } = useSyncExternalStore(session.subscribe, session.get)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void session.send()
  }
  return (
    <main>
      <h1>{reason ?? status}</h1>
      <Messages messages={messages} />
      <Messages messages={waiting.filter(({ id }) => messages.every((each) => each.id !== id))} />
      <form onSubmit={submit}>
        <input value={text} onChange={({ target }) => session.write(target.value)} required />
        <button type="submit">Send</button>
      </form>
    </main>
  )
}
const Messages = ({ messages }: { messages: readonly Pick<Message, 'id' | 'role' | 'parts'>[] }) =>
  messages.map(({ id, role, parts }) => (
    <section key={id} className={role}>
      {Object.entries(parts).map(([at, part]) => (
        <Part key={at} part={part} />
      ))}
    </section>
  ))
const Part = ({ part }: { part: Message['parts'][number] }) => {
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
const Request = ({ id, kind, title }: SessionUIData['request']) => {
  const [isSending, setSending] = useState(false)
  const answer = (approved: boolean) => {
    setSending(true)
    void session.answer(id, approved).finally(() => setSending(false))
  }
  if (kind === 'question' || isSending) return <p>{title}</p>
  return (
    <fieldset>
      <legend>{title}</legend>
      <button type="button" onClick={() => answer(true)}>
        Allow
      </button>
      <button type="button" onClick={() => answer(false)}>
        Deny
      </button>
    </fieldset>
  )
}
createRoot(document.body).render(<Session />)

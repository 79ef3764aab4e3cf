import { Chat, useChat } from '@ai-sdk/react'
import type { AgentOutput, SessionUIData, SessionUIMetadata, SessionUIPart } from 'agentfold/ai-sdk'
import type { UIMessage } from 'ai'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'

type Message = UIMessage<SessionUIMetadata, SessionUIData>
// The hook's own chat does not know that a resumed stream begins with the start of its message.
const chat = new Chat<Message>({ id: 'session' })

const Session = () => {
  const { messages, setMessages, resumeStream, status } = useChat({ chat })
  useEffect(() => {
    const closed = new AbortController()
    const follow = async () => {
      while (!closed.signal.aborted) {
        const answer = resumeStream() // it ends with the answer, or when another message changes
        const response = await fetch('/messages').catch(() => undefined)
        if (response) setMessages(await response.json())
        else await new Promise((retry) => setTimeout(retry, 500))
        await answer
      }
    }
    void follow()
    return () => closed.abort()
  }, [resumeStream, setMessages])
  return (
    <main>
      <h1>{status}</h1>
      <Messages messages={messages} />
    </main>
  )
}
const Messages = ({ messages }: { messages: readonly Pick<Message, 'id' | 'role' | 'parts'>[] }) =>
  messages.map(({ id, role, parts }) => (
    <section key={id} className={role}>
      {Object.entries(parts).map(([at, part]) => (
        <Part key={at} part={part as SessionUIPart} />
      ))}
    </section>
  ))
const Part = ({ part }: { part: SessionUIPart }) => {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type !== 'dynamic-tool') return null
  if (part.toolName !== 'subagent') return <pre>{`${part.toolName}: ${part.state}`}</pre>
  const output = part.state === 'output-available' ? part.output : {}
  const { status, messages = [] } = output as Partial<AgentOutput>
  return (
    <details open>
      <summary>{status}</summary>
      <Messages messages={messages} />
    </details>
  )
}
createRoot(document.body).render(<Session />)

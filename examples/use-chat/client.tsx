import { Chat, useChat } from '@ai-sdk/react'
import type { AgentOutput, SessionUIData, SessionUIMetadata } from 'agentfold/ai-sdk'
import { generateId, type UIMessage } from 'ai'
import { type FormEvent, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

type Message = UIMessage<SessionUIMetadata, SessionUIData>
// The hook's own chat does not know that a resumed stream begins with the start of its message.
const chat = new Chat<Message>({ id: 'session' })

let sending: Promise<unknown> = Promise.resolve()
let loaded: Message[] = []
let waiting: Message[] = [] // own prompts that the session does not show yet
let failure: string | undefined // of the last prompt or approval: the chat forgets it when it resumes
const send = async (work: () => Promise<unknown>) => {
  failure = undefined
  sending = chat.stop().then(work) // the chat waits for a change: it does one thing at a time
  await sending
  failure = chat.error?.message
  return chat.error
}
const textOf = ({ parts }: Message) =>
  parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim()
type Write = (change: (text: string) => string) => void
let given = '' // the words that have returned to the input
const giveBack = (prompts: Message[]) => (text: string) => {
  given = [...prompts.map(textOf), text].filter((each) => each !== '').join(' ')
  return given
}
const turnOf = (messages: Message[]) => {
  const { outcome, error } = messages.at(-1)?.metadata ?? {}
  return JSON.stringify([messages.findLast(({ role }) => role === 'user')?.id, outcome, error])
}
function take(messages: Message[], write: Write) {
  const known = new Set(loaded.map(({ id }) => id))
  for (const prompt of messages.filter(({ id, role }) => role === 'user' && !known.has(id))) {
    // A program may take several prompts as one, also those whose words have returned.
    waiting = waiting.filter((each) => !textOf(prompt).includes(textOf(each)))
    write((text) => (text === given && textOf(prompt) === given ? '' : text))
  }
  if (turnOf(messages) !== turnOf(loaded)) {
    failure = undefined // of an earlier turn
    if (messages.at(-1)?.metadata?.outcome) write(giveBack(waiting.splice(0)))
  }
  loaded = messages
  chat.messages = messages
}
async function follow(closed: AbortSignal, write: Write) {
  while (!closed.aborted) {
    const before = sending
    await before
    const loaded = await fetch('/api/chat/messages').catch(() => undefined)
    const messages = await loaded?.json().catch(() => undefined)
    if (sending !== before) continue
    if (messages) {
      chat.clearError()
      take(messages, write)
    }
    // It ends with the answer, or when another message changes: at once if one has changed since.
    const headers = { 'if-none-match': loaded?.headers.get('etag') ?? '' }
    await (messages ? chat.resumeStream({ headers }) : new Promise((retry) => setTimeout(retry, 500)))
  }
}

const Session = () => {
  const { messages, status, error, sendMessage } = useChat({ chat })
  const [text, write] = useState('')
  const { outcome, error: reason } = messages.at(-1)?.metadata ?? {}
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    write('')
    const prompt: Message = { id: generateId(), role: 'user', parts: [{ type: 'text', text }] }
    waiting = [...waiting, prompt]
    const error = await send(() => sendMessage(prompt))
    const hasBegun = chat.lastMessage?.role === 'assistant' // the answer
    if (error || hasBegun) waiting = waiting.filter((each) => each !== prompt)
    if (error && !hasBegun) write(giveBack([prompt]))
  }
  useEffect(() => {
    const closed = new AbortController()
    void follow(closed.signal, write)
    return () => closed.abort()
  }, [])
  return (
    <main>
      <h1>{error?.message ?? failure ?? reason ?? outcome ?? status}</h1>
      <Messages messages={messages} />
      <Messages messages={waiting.filter(({ id }) => messages.every((each) => each.id !== id))} />
      <form onSubmit={submit}>
        <input value={text} onChange={({ target }) => write(target.value)} required />
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
  if (part.type !== 'dynamic-tool') return null
  const title = `${part.toolName}: ${JSON.stringify(part.input)}`
  if (part.state === 'approval-requested') return <Approval id={part.approval.id} title={title} />
  // A tool may have this name, and write messages that ask. Its result has metadata, that of an agent has none.
  if (part.toolName !== 'subagent' || 'resultProviderMetadata' in part)
    return <pre>{`${part.toolName}: ${part.state}`}</pre>
  const output = part.state === 'output-available' ? part.output : {}
  const { status, messages = [] } = output as Partial<AgentOutput>
  return (
    <details open>
      <summary>{status}</summary>
      <Messages messages={messages} />
    </details>
  )
}
const Approval = ({ id, title }: { id: string; title: string }) => {
  const [isSending, setSending] = useState(false)
  const choose = async (approved: boolean) => {
    setSending(true)
    await send(async () => {
      const approval = { id, approved }
      const { messages } = chat
      await chat.addToolApprovalResponse(approval)
      await chat.sendMessage(undefined, { body: { approval } }) // the chat alone finds no call of an agent
      if (chat.error) chat.messages = messages
    })
    setSending(false)
  }
  if (isSending) return <p>{title}: on its way</p>
  return (
    <fieldset>
      <legend>{title}</legend>
      <button type="button" onClick={() => choose(true)}>
        Allow
      </button>
      <button type="button" onClick={() => choose(false)}>
        Deny
      </button>
    </fieldset>
  )
}
createRoot(document.body).render(<Session />)

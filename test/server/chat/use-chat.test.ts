import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { createElement as h } from 'react'
import { expect, it, vi } from 'vitest'
import { uiMessageResponse } from '../../../src/entries/ai-sdk.ts'
import { createSessionHub } from '../../../src/entries/hub.ts'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { pageWith } from '../../client/react/page.ts'
import { withReact } from '../../client/react/react-versions.ts'

const page = pageWith(withReact(19))

const upsert = (block: Extract<SessionEvent, { type: 'block:upsert' }>['block']): SessionEvent => ({
  type: 'block:upsert',
  block,
})
const text = (id: string, content: string) =>
  upsert({ id, type: 'assistant_text', status: 'complete', content, messageId: id })
const call = upsert({
  id: 'call',
  type: 'tool_use',
  status: 'pending',
  toolName: 'Bash',
  toolUseId: 'call',
  input: { command: 'ls' },
  messageId: 'm1',
})
const ask = upsert({
  id: 'r1',
  type: 'request',
  status: 'pending',
  kind: 'permission',
  title: 'Bash: ls',
  toolUseId: 'call',
  options: [
    { id: 'allow', label: 'Allow' },
    { id: 'deny', label: 'Deny' },
  ],
})
const result = (isError: boolean) =>
  upsert({
    id: 'call:result',
    type: 'tool_result',
    status: 'complete',
    toolUseId: 'call',
    output: 'files',
    isError,
  })

const spawn: SessionEvent = { type: 'subagent:spawned', toolUseId: 'agent', prompt: 'Look.' }
const ofAgent = (event: SessionEvent): SessionEvent => ({ ...event, conversationId: 'agent' })

/** A session whose program asks for a permission, and says what it got. */
function askingHub(isAgent: boolean) {
  const hub = createSessionHub()
  const asking = isAgent ? [spawn, ofAgent(call), ofAgent(ask)] : [call, ask]
  hub.onPrompt('s', async (prompt) => {
    await hub.publish('s', [
      upsert({ id: 'p', type: 'user_message', status: 'complete', content: prompt }),
      text('m1', 'I look.'),
      ...asking,
    ])
  })
  hub.onReply('s', async (reply) => {
    const answered = result('denied' in reply)
    await hub.publish('s', [isAgent ? ofAgent(answered) : answered])
    await hub.publish('s', [text('m2', `It was ${'answer' in reply ? reply.answer : ''}.`)])
    await hub.publish('s', [{ type: 'session:idle', outcome: 'finished' }])
  })
  return hub
}

// With the real hook, an approval was never sent: the hook sends none while the stream of the answer is open.
// The hook finds no call of an agent, so an approval of one sent nothing.
it.each([
  ['main', true, 'It was allow.'],
  ['main', false, 'It was deny.'],
  ['an agent', true, 'It was allow.'],
  ['an agent', false, 'It was deny.'],
])(
  'of a call of %s, sends the approval %s of useChat to its program, and shows the rest',
  async (who, approved, said) => {
    const isAgent = who !== 'main'
    const hub = askingHub(isAgent)
    const transport = new DefaultChatTransport({
      api: 'http://chat.example/api/chat',
      fetch: async (input, init) =>
        uiMessageResponse(hub, 's', { request: new Request(input, init), version: 6 }),
    })
    let chat: ReturnType<typeof useChat> | undefined
    const Chat = () => {
      chat = useChat({
        transport,
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      })
      return h('pre', null, `${chat.status} ${chat.error} ${JSON.stringify(chat.messages)}`)
    }
    await page.show(h(Chat))
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false)
    await chat?.sendMessage({ text: 'Look.' })
    await vi.waitFor(() => expect(page.text()).toMatch(/^ready undefined .*approval-requested/))
    const approval = { id: 'r1', approved }
    await chat?.addToolApprovalResponse(approval)
    if (isAgent) await chat?.sendMessage(undefined, { body: { approval } })
    await vi.waitFor(() => expect(page.text()).toContain(said), 5000)
    await vi.waitFor(() => expect(page.text()).toMatch(/^ready undefined/))
    expect(chat?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(page.text().match(/I look\./g)).toHaveLength(1)
  },
)

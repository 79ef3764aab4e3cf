import {
  AbstractChat as Chat6,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage as Message6,
  DefaultChatTransport as Transport6,
} from 'ai'
import { readUIMessageStream as read5 } from 'ai-5'
import { readUIMessageStream as read7 } from 'ai-next'
import { describe, expect, it, vi } from 'vitest'
import {
  type AISDKVersion,
  toUIMessages,
  uiMessageResponse,
  uiMessageSink,
} from '../../../src/entries/ai-sdk.ts'
import { createSessionHub } from '../../../src/entries/hub.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { replay } from '../../../src/entries/testing.ts'
import { depth, sampleOf } from '../../depth.ts'
import { eventsOf, inputs } from '../../wires/inputs.ts'

const REQUEST = {
  id: 'r1',
  type: 'request',
  kind: 'permission',
  title: 'Bash: ls',
  toolUseId: 'call',
  options: [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No' },
  ],
} as const
const askOf = (id: string, toolUseId = id): SessionEvent => ({
  type: 'block:upsert',
  block: { ...REQUEST, id, toolUseId, status: 'pending' },
})
const ask = askOf('r1', 'call')
const user = (content: string): SessionEvent => ({
  type: 'block:upsert',
  block: { id: content, type: 'user_message', status: 'complete', content },
})
const text = (id: string, content: string): SessionEvent => ({
  type: 'block:upsert',
  block: { id, type: 'assistant_text', status: 'complete', content, messageId: id },
})
const callOf = (id: string): SessionEvent => ({
  type: 'block:upsert',
  block: {
    id,
    type: 'tool_use',
    status: 'pending',
    toolName: 'Bash',
    toolUseId: id,
    input: {},
    messageId: 'm',
  },
})
const call = callOf('call')
const idle: SessionEvent = { type: 'session:idle', outcome: 'finished' }

/** Reads the chunks of a permission through the transport of the version, which refuses what it does not know. */
async function messagesOf(version: AISDKVersion, events: readonly SessionEvent[]) {
  const sink = uiMessageSink({ version })
  let { memory } = { memory: sink.initial }
  let state = createInitialConversationState()
  const chunks: unknown[] = []
  for (const event of events) {
    state = reduceSessionEvents(state, [event])
    const step = sink.translate(memory, state)
    memory = step.memory
    for (const update of step.out) if (update.type === 'chunk') chunks.push(update.chunk)
  }
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(JSON.parse(JSON.stringify(chunk)))
      controller.close()
    },
  })
  const errors: unknown[] = []
  let last: unknown
  const onError = (error: unknown) => void errors.push(error)
  const read = version === 5 ? read5({ stream, onError }) : read7({ stream, onError })
  for await (const message of read) last = message
  return { chunks, last, errors, state }
}

describe('the sink for a version of the AI SDK', () => {
  const done: SessionEvent = {
    type: 'block:upsert',
    block: {
      id: 'call:result',
      type: 'tool_result',
      status: 'complete',
      toolUseId: 'call',
      output: 'ok',
      isError: false,
    },
  }
  const answered: SessionEvent = {
    type: 'block:upsert',
    block: { ...REQUEST, status: 'complete', answer: 'yes' },
  }
  const turn = [user('Hi'), text('m', 'I look.'), call, ask, answered, done, idle]

  // The documented page ended in `error` at the first permission.
  it.each([5, 6, 7] as const)('%i has no chunk that the version refuses', async (version) => {
    const { chunks } = await messagesOf(version, turn)
    const types = new Set(chunks.map((chunk) => Reflect.get(Object(chunk), 'type')))
    expect(types.has('tool-approval-request')).toBe(version > 5)
    expect(types.has('tool-approval-response')).toBe(version === 7)
  })

  it.each([5, 7] as const)('%i reads as toUIMessages has it', async (version) => {
    const { last, errors, state } = await messagesOf(version, turn)
    expect(errors).toEqual([])
    expect(JSON.parse(JSON.stringify(last))).toEqual(
      JSON.parse(JSON.stringify(toUIMessages(state, { version }).at(-1))),
    )
  })

  // A page that came while an allowed call ran asked for its permission again.
  it('6 asks for no permission that was given before the stream began', () => {
    const state = reduceSessionEvents(createInitialConversationState(), turn.slice(0, 5))
    const sink = uiMessageSink({ version: 6 })
    const { out } = sink.translate(sink.initial, state)
    expect(JSON.stringify(out)).toContain('tool-input-available')
    expect(JSON.stringify(out)).not.toContain('tool-approval')
  })

  it('refuses another version', () => {
    expect(() => Reflect.apply(uiMessageSink, undefined, [{ version: 4 }])).toThrow(RangeError)
  })
})

class TestChat extends Chat6<Message6> {
  constructor(fetch: typeof globalThis.fetch) {
    const messages: Message6[] = []
    super({
      id: 's',
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      transport: new Transport6({ api: 'http://chat.example/api/chat', fetch }),
      state: {
        status: 'ready',
        error: undefined,
        messages,
        pushMessage: (message) => void messages.push(message),
        popMessage: () => void messages.pop(),
        replaceMessage: (at, message) => void messages.splice(at, 1, message),
        snapshot: (value) => value,
      },
    })
  }
}

const ofParts = (parts: readonly object[]) => JSON.stringify({ messages: [{ role: 'user', parts }] })
const JSON_TYPE = { 'content-type': 'application/json' }
const prompt = (words: string) => ofParts([{ type: 'text', text: words }])

describe('uiMessageResponse', () => {
  async function chat(version: AISDKVersion = 6) {
    const hub = createSessionHub()
    const requests: string[] = []
    const page = new TestChat(async (input, init) => {
      const request = new Request(input, init)
      requests.push(request.method)
      return uiMessageResponse(hub, 's', { request, version })
    })
    return { hub, page, requests }
  }

  it('sends a prompt to its program, and streams the answer', async () => {
    const { hub, page } = await chat()
    await hub.publish('s', [user('earlier'), text('e', 'An earlier answer.'), idle])
    hub.onPrompt('s', async (prompt) => {
      await hub.publish('s', [user(prompt)])
      await hub.publish('s', [text('m', 'Hello')])
      await hub.publish('s', [idle])
    })
    await page.sendMessage({ text: 'Hi there' })
    expect([page.status, page.error]).toEqual(['ready', undefined])
    expect(
      page.messages.map(({ role, parts }) => [
        role,
        parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
      ]),
    ).toEqual([
      ['user', ['Hi there']],
      ['assistant', ['Hello']],
    ])
  })

  it('asks the person, and goes on with the answer', async () => {
    const { hub, page, requests } = await chat()
    hub.onPrompt('s', async (prompt) => {
      await hub.publish('s', [user(prompt), text('m', 'I look.'), call, ask])
    })
    const replies: unknown[] = []
    hub.onReply('s', async (reply) => {
      replies.push(reply)
      await hub.publish('s', [
        {
          type: 'block:upsert',
          block: {
            id: 'call:result',
            type: 'tool_result',
            status: 'complete',
            toolUseId: 'call',
            output: 'ok',
            isError: false,
          },
        },
        idle,
      ])
    })
    // The stream ends where the page has to answer: it sends no approval while it reads one.
    await page.sendMessage({ text: 'Go' })
    expect([page.status, JSON.stringify(page.messages).includes('approval-requested')]).toEqual([
      'ready',
      true,
    ])
    await page.addToolApprovalResponse({ id: 'r1', approved: true })
    await vi.waitFor(() => expect(JSON.stringify(page.messages)).toContain('output-available'))
    await vi.waitFor(() => expect([page.status, page.error]).toEqual(['ready', undefined]))
    expect(replies).toHaveLength(1)
    expect(requests).toEqual(['POST', 'POST'])
  })

  it('takes the approval of a page', async () => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask])
    const replies: unknown[] = []
    hub.onReply('s', (reply) => {
      replies.push(reply)
      void hub.publish('s', [idle])
    })
    const part = {
      type: 'dynamic-tool',
      toolCallId: 'call',
      state: 'approval-responded',
      approval: { id: 'r1', approved: false, reason: 'No.' },
    }
    const request = new Request('http://chat.example/api/chat', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ messages: [{ id: 'm', role: 'assistant', parts: [part] }] }),
    })
    const response = await uiMessageResponse(hub, 's', { request, version: 6 })
    expect(await response.text()).toContain('[DONE]')
    expect(replies).toEqual([expect.objectContaining({ denied: true, comment: 'No.' })])
  })

  // The approval was ignored, and the prompt was sent to the program a second time.
  it.each([true, false])(
    'takes an approval behind a later prompt, and sends that once: echoed %s',
    async (isEchoed) => {
      const { hub, page } = await chat()
      const prompts: string[] = []
      const replies: unknown[] = []
      hub.onPrompt('s', (prompt) => {
        prompts.push(prompt)
        if (prompt === 'Go') void hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask])
        else if (isEchoed) void hub.publish('s', [user(prompt)])
      })
      hub.onReply('s', (reply) => {
        replies.push(reply)
        void hub.publish('s', [text('n', 'All is done.'), idle])
      })
      await page.sendMessage({ text: 'Go' })
      const waiting = page.sendMessage({ text: 'Meanwhile.' })
      await vi.waitFor(() => expect(prompts).toHaveLength(2))
      await page.stop()
      await waiting
      await page.addToolApprovalResponse({ id: 'r1', approved: true })
      await page.sendMessage()
      expect([page.status, page.error, prompts]).toEqual(['ready', undefined, ['Go', 'Meanwhile.']])
      expect(replies).toHaveLength(1)
      const ids = page.messages.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      await page.regenerate()
      expect(prompts).toHaveLength(2)
    },
  )

  const decision = (id: string, approved: boolean, toolCallId = 'call') => ({
    type: 'dynamic-tool',
    toolCallId,
    state: 'approval-responded',
    approval: { id, approved },
  })
  const approved = (id: string) => ({
    id,
    role: 'assistant',
    parts: [decision('r1', true)],
  })
  const posted = (messages: readonly object[], approval?: object) =>
    new Request('http://chat.example/api/chat', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ messages, approval }),
    })

  it.each([
    ['the page has not loaded a later prompt', [approved('m')], []],
    [
      'the later prompt is of the session',
      [approved('m'), { id: 'Next', role: 'user', parts: [{ type: 'text', text: 'Next' }] }],
      [],
    ],
    [
      'another page has sent the later prompt',
      [approved('m'), { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Next' }] }],
      [],
    ],
    [
      'the later prompt is new',
      [approved('m'), { id: 'u', role: 'user', parts: [{ type: 'text', text: 'New' }] }],
      ['New'],
    ],
  ] as const)('delivers an approval once, and answers 200, if %s', async (_, messages, sent) => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask, user('Next')])
    const prompts: string[] = []
    const replies: unknown[] = []
    hub.onPrompt('s', (prompt) => prompts.push(prompt))
    hub.onReply('s', (reply) => {
      replies.push(reply)
      void hub.publish('s', [text('n', 'Done.'), idle])
    })
    const response = await uiMessageResponse(hub, 's', { request: posted(messages), version: 6 })
    expect([response.status, (await response.text()).endsWith('data: [DONE]\n\n')]).toEqual([200, true])
    expect([replies.length, prompts]).toEqual([1, sent])
    // The same request again, as after a lost connection.
    const again = await uiMessageResponse(hub, 's', { request: posted(messages), version: 6 })
    expect([again.status, replies.length, prompts]).toEqual([409, 1, sent])
  })

  it('sends a prompt again that no program took, and one whose text was edited', async () => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), idle])
    const message = (words: string) => [{ id: 'u', role: 'user', parts: [{ type: 'text', text: words }] }]
    const post = async (words: string) =>
      (await uiMessageResponse(hub, 's', { request: posted(message(words)) })).status
    expect(await post('Hi')).toBe(422)
    const prompts: string[] = []
    hub.onPrompt('s', (prompt) => prompts.push(prompt))
    expect([await post('Hi'), await post('Hi'), await post('Hi there')]).toEqual([200, 409, 200])
    // A double click.
    expect(await Promise.all([post('Hello'), post('Hello')])).toEqual([200, 409])
    expect(prompts).toEqual(['Hi', 'Hi there', 'Hello'])
  })

  it('refuses an approval that comes too late, so that the page does not wait', async () => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask])
    hub.onReply('s', () => {})
    await hub.answer('s', 'r1', 'yes')
    await hub.publish('s', [idle])
    const response = await uiMessageResponse(hub, 's', { request: posted([approved('m')]), version: 6 })
    expect([response.status, await response.text()]).toEqual([
      409,
      expect.stringContaining('load the messages'),
    ])
  })

  // An unknown id got the stream of an answer that did not come, and the loser of two tabs no word.
  it.each([
    ['of an unknown id', [decision('nope', true)], undefined, 404],
    ['of an unknown id, beside the messages', [], { id: 'nope', approved: true }, 404],
    ['of another call than the one that asked', [decision('r1', true, 'other')], undefined, 404],
    ['of another decision than the session has', [decision('r1', false)], undefined, 409],
    ['of another decision, beside the messages', [], { id: 'r1', approved: false }, 409],
    ['without a decision', [], { id: 'r1' }, 400],
  ] as const)('answers an approval %s', async (_, parts, approval, status) => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask])
    hub.onReply('s', () => {})
    await hub.answer('s', 'r1', 'yes')
    const request = posted([{ id: 'Go:answer', role: 'assistant', parts }], approval)
    expect((await uiMessageResponse(hub, 's', { request, version: 6 })).status).toBe(status)
  })

  // The page got 200, and no word.
  it.each([
    ['was withdrawn', {}, true, 409],
    ['was withdrawn', {}, false, 409],
    ['was refused with an option', { answer: 'deny' }, true, 409],
    ['was refused without one', { denied: true }, true, 409],
    ['was refused too', { answer: 'deny' }, false, 200],
    ['was allowed too', { answer: 'yes' }, true, 200],
  ] as const)('answers an approval of a request that %s: %j, %s', async (_, answer, approved, status) => {
    const { hub } = await chat()
    const over = { ...REQUEST, ...answer, status: 'complete' } as const
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, { type: 'block:upsert', block: over }])
    const request = posted([{ id: 'Go:answer' }], { id: 'r1', approved })
    const response = await uiMessageResponse(hub, 's', { request, version: 6 })
    expect(response.status).toBe(status)
    await response.body?.cancel()
  })

  // The first option was the answer, also if it refused.
  it.each([
    [['deny', 'yes'], 'yes', 200],
    [['deny', 'abort'], undefined, 422],
  ])('allows with the first of the options %j that refuses nothing', async (ids, answer, status) => {
    const { hub } = await chat()
    const options = ids.map((id) => ({ id, label: id }))
    const asked = { ...REQUEST, options, status: 'pending' } as const
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, { type: 'block:upsert', block: asked }])
    const replies: unknown[] = []
    hub.onReply('s', (reply) => replies.push(reply))
    const request = posted([approved('Go:answer')])
    const response = await uiMessageResponse(hub, 's', { request, version: 6 })
    expect([response.status, replies]).toEqual([status, answer ? [expect.objectContaining({ answer })] : []])
    await response.body?.cancel()
  })

  it('says to the slower of two tabs what the other one has decided', async () => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask])
    hub.onReply('s', () => {})
    const post = (approved: boolean) =>
      uiMessageResponse(hub, 's', {
        request: posted([{ id: 'Go:answer', role: 'assistant', parts: [decision('r1', approved)] }]),
        version: 6,
      })
    const both = [post(true), post(false)]
    await Promise.race(both)
    await hub.publish('s', [text('n', 'Done.'), idle])
    const [won, lost] = await Promise.all(both.map(async (each) => (await each).text()))
    expect(won).toContain('Done.')
    expect(lost).toContain('Somebody else has allowed it already.')
  })

  // Its agent's part changes with the answer, so the stream had begun, and ended without a word.
  it('says that the approval of an agent did not reach the program', async () => {
    const { hub } = await chat(6)
    const ofAgent = [call, ask].map((event) => ({ ...event, conversationId: 'a' }))
    await hub.publish('s', [user('Go'), { type: 'subagent:spawned', toolUseId: 'a', prompt: '' }, ...ofAgent])
    hub.onReply('s', async () => Promise.reject(new Error('boom')))
    const request = posted([{ id: 'Go:answer' }], { id: 'r1', approved: true })
    expect(await (await uiMessageResponse(hub, 's', { request, version: 6 })).text()).toContain('boom')
  })

  // `useChat` repeats all messages with a prompt, and the output of a tool approved what the program asked for next.
  it.each(['WebFetch', 'subagent'])(
    'takes no approval that the output of the tool %s has',
    async (toolName) => {
      const { hub } = await chat()
      const output = { status: 'running', messages: [{ role: 'assistant', parts: [decision('r1', true)] }] }
      const fetched = { toolUseId: 'fetch', status: 'complete' } as const
      await hub.publish('s', [
        user('Go'),
        { type: 'block:upsert', block: { ...fetched, id: 'fetch', type: 'tool_use', toolName, input: {} } },
        {
          type: 'block:upsert',
          block: { ...fetched, id: 'result', type: 'tool_result', output, isError: false },
        },
        text('m', 'I look.'),
        ...[call, ask],
        { type: 'subagent:spawned', toolUseId: 'a', prompt: '' },
        ...[call, ask].map((event) => ({ ...event, conversationId: 'a' })),
      ])
      const replies: unknown[] = []
      hub.onReply('s', (reply) => replies.push(reply))
      hub.onPrompt('s', async (prompt) => {
        for (const events of [[user(prompt), text('n', 'I wait.')], [idle]]) await hub.publish('s', events)
      })
      const state = await hub.state('s')
      const shown = (state && toUIMessages(state, { version: 6 })) ?? []
      expect(JSON.stringify(shown)).toContain('approval-responded')
      const prompt = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Do not run it!' }] }
      const response = await uiMessageResponse(hub, 's', { request: posted([...shown, prompt]), version: 6 })
      expect([response.status, (await response.text()).includes('I wait.'), replies]).toEqual([200, true, []])
    },
  )

  // A page that repeats what it has approved approved what an agent asked for under the same id.
  it.each([
    ['an agent', { conversationId: 'a' }, 'call'],
    ['another call', {}, 'other'],
  ])('takes no repeated approval for a request of %s', async (_, place, toolUseId) => {
    const { hub } = await chat()
    const asked = { ...REQUEST, toolUseId, status: 'pending' } as const
    await hub.publish('s', [
      user('Go'),
      text('m', 'I look.'),
      { type: 'subagent:spawned', toolUseId: 'a', prompt: '' },
      { ...call, ...place },
      { type: 'block:upsert', block: asked, ...place },
    ])
    const replies: unknown[] = []
    hub.onReply('s', (reply) => replies.push(reply))
    const request = posted([{ id: 'Go:answer', role: 'assistant', parts: [decision('r1', true)] }])
    expect((await uiMessageResponse(hub, 's', { request, version: 6 })).status).toBe(404)
    expect(replies).toEqual([])
  })

  it.each(['PUT', 'DELETE', 'PATCH', 'HEAD'])('refuses %s', async (method) => {
    const { hub } = await chat()
    const request = new Request('http://chat.example/api/chat', { method })
    expect((await uiMessageResponse(hub, 's', { request })).status).toBe(405)
  })

  it.each(['messages', 'stream'])(
    'answers 404 for %s of a session that the hub does not have',
    async (path) => {
      const hub = createSessionHub({ exists: (id) => id === 's' })
      const get = (id: string) =>
        uiMessageResponse(hub, id, { request: new Request(`http://chat.example/${id}/${path}`) })
      expect((await get('nope')).status).toBe(404)
      const open = get('s')
      for (let each = 0; each < 5; each += 1) await hub.state('s')
      await hub.publish('s', [user('Hi')])
      expect((await open).ok).toBe(true)
    },
  )

  it.each([
    ['of a page of another site', { origin: 'https://evil.example' }, prompt('Delete all'), 403],
    ['of a form of the same site', { 'content-type': 'text/plain' }, prompt('Delete all'), 415],
    ['without messages', {}, '{}', 400],
    ['that is no JSON', {}, 'messages', 400],
    [
      'with a picture',
      {},
      ofParts([
        { type: 'text', text: 'See.' },
        { type: 'file', url: 'data:,' },
      ]),
      415,
    ],
    ['of a file alone', {}, ofParts([{ type: 'file', url: 'data:,' }]), 415],
    ['of nothing', {}, ofParts([]), 400],
    ['of an empty text', {}, ofParts([{ type: 'text', text: ' ' }]), 400],
    ['of more than 16 MiB', {}, prompt('x'.repeat(16_777_216)), 413],
    ['with a prompt that no program takes', {}, prompt('Hi'), 422],
  ] as const)('refuses a POST %s', async (_, headers, body, status) => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.')])
    const prompts: string[] = []
    if (status !== 422) hub.onPrompt('s', (each) => prompts.push(each))
    const request = new Request('http://chat.example/api/chat', {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body,
    })
    const response = await uiMessageResponse(hub, 's', { request, version: 6 })
    expect([response.status, prompts]).toEqual([status, []])
  })

  it('reads no more of a large body than it takes', async () => {
    const { hub } = await chat()
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        controller.enqueue(new Uint8Array(1_048_576))
      },
    })
    const init = { method: 'POST', body, headers: JSON_TYPE, duplex: 'half' }
    const request = new Request('http://chat.example/api/chat', init)
    expect((await uiMessageResponse(hub, 's', { request })).status).toBe(413)
    expect(sent).toBeLessThan(20)
  })

  it('has the recorded session with a permission for a page of version 6, without an error', async () => {
    const recorded = inputs.find(({ name }) => name.startsWith('opencode, 01-permission'))
    if (!recorded) throw new Error('the recording is missing')
    const hub = createSessionHub()
    hub.onPrompt('s', () => void hub.pipe('s', recorded.messages, recorded.architecture))
    const page = new TestChat(async (input, init) =>
      uiMessageResponse(hub, 's', { request: new Request(input, init), version: 6 }),
    )
    await page.sendMessage({ text: 'Go' })
    expect([page.status, page.error]).toEqual(['ready', undefined])
    expect(page.messages.length).toBeGreaterThan(1)
  })

  it('gives all messages, and 204 where no answer is open', async () => {
    const { hub } = await chat()
    await hub.publish('s', [user('Hi'), text('m', 'Hello'), idle])
    const state = await hub.state('s')
    const all = await uiMessageResponse(hub, 's', { request: new Request('http://chat.example/x/messages') })
    expect(await all.json()).toEqual(state && JSON.parse(JSON.stringify(toUIMessages(state))))
    const resumed = uiMessageResponse(hub, 's')
    // The page follows the session by then.
    for (let each = 0; each < 5; each += 1) await hub.state('s')
    await hub.publish('s', [user('Again')])
    expect((await resumed).status).toBe(204)
  })

  // A change between the two requests of a page stayed hidden until the next one.
  it('misses no change between the messages and the stream', async () => {
    const { hub } = await chat()
    const get = (path: string, tag?: string | null) =>
      uiMessageResponse(hub, 's', {
        request: new Request(`http://chat.example/${path}`, { headers: tag ? { 'if-none-match': tag } : {} }),
        version: 6,
      })
    const tagNow = async () => (await get('messages')).headers.get('etag')
    await hub.publish('s', [user('Hi'), text('m', 'Hello'), idle])
    const tag = await tagNow()
    await hub.publish('s', [user('Again')])
    // Without the tag it waits for the next change.
    for (const old of [tag, `W/${tag}`]) expect((await get('stream', old)).status).toBe(204)
    let isOver = false
    const waiting = get('stream', await tagNow()).finally(() => {
      isOver = true
    })
    for (let each = 0; each < 5; each += 1) await hub.state('s')
    expect(isOver).toBe(false)
    await hub.publish('s', [{ type: 'session:running' }])
    expect((await waiting).status).toBe(204)
    // The answer that grows is no change: its stream begins with its start.
    const open = { id: 'n', type: 'assistant_text', status: 'pending', messageId: 'n' } as const
    await hub.publish('s', [{ type: 'block:upsert', block: { ...open, content: 'I ' } }])
    const growing = await tagNow()
    await hub.publish('s', [{ type: 'block:delta', blockId: 'n', delta: 'go on.' }])
    const resumed = await get('stream', growing)
    expect(resumed.status).toBe(200)
    await hub.publish('s', [idle])
    expect(await resumed.text()).toContain('go on.')
  })

  // A second tab asked whether `bash: {}` may run, while the server had the command.
  it.each(inputs.filter((_, at) => at % depth({ few: 40, all: 4 }) === 0))(
    'has another tag for other messages, and lets no page wait that has old ones: $name',
    async (input) => {
      const log = replay(eventsOf(input))
      let state = log.at(0)
      let waits = false
      const hub: Parameters<typeof uiMessageResponse>[0] = {
        state: async () => state,
        async *follow() {
          yield state
          waits = true
        },
        prompt: async () => {},
        answer: async () => {},
      }
      const get = (path: string, etag = '') =>
        uiMessageResponse(hub, 's', {
          request: new Request(`http://chat.example/${path}`, { headers: { 'if-none-match': etag } }),
        })
      const texts = new Map<string, string>()
      let known = { tag: '', text: '' }
      for (const cut of sampleOf([...Array(log.length + 1).keys()], depth({ few: 12, all: 60 }))) {
        state = log.at(cut)
        const loaded = await get('messages')
        const [tag, text] = [loaded.headers.get('etag') ?? '', await loaded.text()]
        expect(texts.get(tag) ?? text).toBe(text)
        texts.set(tag, text)
        waits = false
        if (known.tag) await get('x/stream', known.tag)
        expect(waits && known.text !== text).toBe(false)
        known = { tag, text }
      }
    },
  )

  const failed: SessionEvent = { type: 'session:idle', outcome: 'failed', error: 'boom: quota' }

  // The page had a half answer, and no word of the reason.
  it.each([5, 6, 7] as const)(
    'says why a turn failed, also to a page that comes later: %s',
    async (version) => {
      for (const answer of [[user('Hi')], [user('Hi'), text('m', 'Hel')]]) {
        const { hub, page } = await chat(version)
        hub.onPrompt('s', async () => void (await hub.publish('s', [...answer, failed])))
        await page.sendMessage({ text: 'Hi' })
        expect([page.status, page.error?.message]).toEqual(['error', 'boom: quota'])
        const request = new Request('http://chat.example/messages')
        const later: unknown = await (await uiMessageResponse(hub, 's', { request, version })).json()
        const metadata = { outcome: 'failed', error: 'boom: quota' }
        expect([later].flat().at(-1)).toMatchObject({ metadata })
      }
    },
  )

  it('says why a program failed that began nothing', async () => {
    const { hub, page } = await chat()
    const failure = Promise.resolve('spawn nosuch ENOENT')
    hub.onPrompt('s', async () => void (await hub.pipe('s', [], { architecture: 'claude-sdk', failure })))
    await page.sendMessage({ text: 'Hi' })
    expect([page.status, page.error?.message]).toEqual(['error', 'spawn nosuch ENOENT'])
    const state = await hub.state('s')
    expect(state && toUIMessages(state)).toMatchObject([{ metadata: { error: 'spawn nosuch ENOENT' } }])
  })

  it('says that a prompt or an approval did not reach the program', async () => {
    const { hub, page } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask])
    const fails = async () => Promise.reject(new Error('OpenCode answered 500'))
    const ends = [hub.onPrompt('s', fails), hub.onReply('s', fails)]
    const said = expect.stringContaining('OpenCode answered 500')
    await page.sendMessage({ text: 'Hi' })
    expect([page.status, page.error?.message]).toEqual(['error', said])
    const post = () => uiMessageResponse(hub, 's', { request: posted([approved('Go:answer')]), version: 7 })
    const refused = await post()
    expect([refused.status, await refused.text()]).toEqual([502, said])
    for (const end of ends) end()
    hub.onReply('s', async () => void (await hub.publish('s', [text('n', 'Done.'), idle])))
    expect(await (await post()).text()).toContain('Done.')
  })

  // A listener of an agent of one's own runs the whole turn, and waits in it for the person.
  it('begins the answer before the listener is done', async () => {
    const { hub, page } = await chat()
    const replied = new Promise<void>((resolve) => void hub.onReply('s', () => resolve()))
    hub.onPrompt('s', async (prompt) => {
      await hub.publish('s', [user(prompt), text('m', 'I look.'), call, ask])
      await replied
      throw new Error('boom')
    })
    await page.sendMessage({ text: 'Go' })
    expect(page.status).toBe('ready')
    await page.addToolApprovalResponse({ id: 'r1', approved: true })
    await replied
  })

  const spawn: SessionEvent = { type: 'subagent:spawned', toolUseId: 'a', prompt: '' }
  const ofAgent = (id: string): readonly SessionEvent[] =>
    [callOf(id), askOf(id)].map((event) => ({ ...event, conversationId: 'a' }))
  const grows: SessionEvent = { type: 'block:delta', blockId: 'n', delta: 'and more.' }
  const open = (content: string): SessionEvent => ({
    type: 'block:upsert',
    block: { id: 'n', type: 'assistant_text', status: 'pending', content, messageId: 'n' },
  })

  // A page had the first words of an answer, and loaded all messages for each later word, while an agent waited.
  it.each(['POST', 'GET'])(
    'streams main while an agent waits, until another request does: %s',
    async (method) => {
      const { hub } = await chat()
      await hub.publish('s', [user('Go'), text('m', 'I look.'), spawn, ...ofAgent('before')])
      const answer = [user('And?'), open('One ')]
      if (method === 'GET') await hub.publish('s', answer)
      hub.onPrompt('s', () => hub.publish('s', answer))
      const message = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'And?' }] }
      const request = method === 'POST' ? posted([message]) : new Request('http://chat.example/stream')
      const { body } = await uiMessageResponse(hub, 's', { request, version: 6 })
      let read = ''
      for await (const bytes of body ?? []) {
        read += new TextDecoder().decode(bytes)
        if (read.endsWith('"One "}\n\n')) await hub.publish('s', [grows])
        if (read.endsWith('"and more."}\n\n')) await hub.publish('s', ofAgent('later'))
      }
      expect(read).toMatch(/and more.*\[DONE\]/s)
    },
  )

  it('streams what follows an approval in main while an agent waits', async () => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), spawn, ...ofAgent('before'), text('m', 'I look.'), call, ask])
    hub.onReply('s', () => {})
    const response = await uiMessageResponse(hub, 's', {
      request: posted([approved('Go:answer')]),
      version: 6,
    })
    const read = response.text()
    for (const event of [open('One '), grows, idle]) await hub.publish('s', [event])
    expect(await read).toMatch(/One .*and more.*\[DONE\]/s)
  })

  // It stayed `submitted`, and asked for a permission that another tab had given.
  it('ends the wait of a prompt when what the page shows has changed', async () => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), text('m', 'I look.'), call, ask])
    hub.onPrompt('s', () => {})
    hub.onReply('s', () => {})
    const message = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hurry up.' }] }
    const response = await uiMessageResponse(hub, 's', { request: posted([message]) })
    const read = response.text()
    await hub.answer('s', 'r1', 'yes')
    expect(await read).toBe('data: [DONE]\n\n')
  })

  // The first approval got no headers until the second one, and the page no chance to send that.
  it.each([
    ['main, after one of main', [askOf('c2'), call, ask]],
    ['an agent, after one of main', [...ofAgent('c2'), call, ask]],
    ['an agent, after one of it', [...ofAgent('c2'), ...ofAgent('r1'), idle]],
  ])('begins the answer to an approval while its listener waits for one of %s', async (_, asking) => {
    const { hub } = await chat()
    await hub.publish('s', [user('Go'), spawn, callOf('c2'), text('m', 'I look.'), ...asking])
    const both = new Promise<void>((resolve) => {
      hub.onReply('s', (reply) => ('requestId' in reply && reply.requestId === 'c2' ? resolve() : both))
    })
    const post = (id: string) =>
      uiMessageResponse(hub, 's', {
        request: posted([{ id: 'Go:answer' }], { id, approved: true }),
        version: 6,
      })
    const responses = [await post('r1'), await post('c2')]
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    for (const { body } of responses) await body?.cancel()
  })

  // A page got no byte until the turn of another page had ended, and nobody heard that its prompt failed then.
  it('ends the wait of a prompt that waits behind another turn, and reports its later failure', async () => {
    const issues: unknown[] = []
    const hub = createSessionHub({ onIssue: (_, { code }) => issues.push(code) })
    const open = { id: 'm', type: 'assistant_text', status: 'pending', content: '', messageId: 'm' } as const
    await hub.publish('s', [user('Go'), { type: 'block:upsert', block: open }])
    let fail = (): void => {}
    const waits = new Promise<void>((_, reject) => {
      fail = () => reject(new Error('boom'))
    })
    hub.onPrompt('s', () => waits)
    let isOver = false
    const message = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Next' }] }
    const response = uiMessageResponse(hub, 's', { request: posted([message]) }).finally(() => {
      isOver = true
    })
    await vi.waitFor(async () => {
      await hub.publish('s', [{ type: 'block:delta', blockId: 'm', delta: 'w' }])
      expect(isOver).toBe(true)
    })
    expect(await (await response).text()).toBe('data: [DONE]\n\n')
    fail()
    await vi.waitFor(() => expect(issues).toEqual(['not-delivered']))
  })

  it('streams the answer after a turn that failed without a word', async () => {
    const { hub, page } = await chat()
    hub.onPrompt('s', async (prompt) => {
      if (prompt === 'Go') return void (await hub.publish('s', [{ type: 'session:running' }, failed]))
      await hub.publish('s', [user(prompt), { type: 'session:running' }])
      for (const step of [text('m', 'Hello'), idle]) await hub.publish('s', [step])
    })
    await page.sendMessage({ text: 'Go' })
    await page.sendMessage({ text: 'Again' })
    expect(page.messages.at(-1)?.parts).toContainEqual(expect.objectContaining({ text: 'Hello' }))
  })

  // A page that is gone before the hub has loaded its session was followed until the next change.
  it.each(['GET', 'POST'])('ends for a page that is gone already: %s', async (method) => {
    const { hub } = await chat()
    await hub.publish('s', [user('Hi'), text('m', 'Hello'), idle])
    hub.onPrompt('s', () => {})
    const body = JSON.stringify({ messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go' }] }] })
    const request = new Request('http://chat.example/x', {
      method,
      ...(method === 'POST' && { body, headers: JSON_TYPE }),
      signal: AbortSignal.abort(),
    })
    const response = await uiMessageResponse(hub, 's', { request })
    expect(await response.text()).toBe(method === 'GET' ? '' : 'data: [DONE]\n\n')
  })
})

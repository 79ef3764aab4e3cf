import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub, HubError, type HubOptions, type SessionHub } from '../../../src/entries/hub.ts'
import { pendingRequests, type SessionEvent, sessionStatus } from '../../../src/entries/index.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'
import { answer, idleEvents, main, prompt, SessionEvents } from '../../wires/opencode/messages.ts'

const ASK = {
  type: 'control_request',
  request_id: 'r1',
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'call_1' },
}

const DENIED = { type: 'tool_result', tool_use_id: 'call_1', content: 'Not now.', is_error: true }

const MAIL = { id: 'r1', type: 'request', status: 'pending', kind: 'permission', title: 'Mail' } as const

/** The output of a program that waits until the test ends it. */
function waitingProgram(...messages: readonly unknown[]) {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  async function* output() {
    yield* messages
    await ended
  }
  return { output: output(), end }
}

async function asking(options: HubOptions = {}) {
  const hub = createSessionHub(options)
  const program = waitingProgram(ASK)
  const piped = hub.pipe('s', program.output, 'claude-sdk')
  hub.onReply('s', () => {})
  await vi.waitFor(async () => expect(await requestsOf(hub)).toHaveLength(1))
  onTestFinished(async () => {
    program.end()
    await piped.catch(() => {})
  })
  return { hub, program, piped }
}

async function requestsOf(hub: SessionHub) {
  const state = await hub.state('s')
  return state ? pendingRequests(state) : []
}

const post = (
  hub: SessionHub,
  path: string,
  { body = { answer: 'allow' }, ...init }: { body?: unknown; headers?: Record<string, string> } = {},
) =>
  hub.fetch(
    new Request(`http://hub.example/${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...init.headers },
    }),
  )

describe('hub.state', () => {
  it('is the state of all events, whoever wrote them, and undefined for an unknown session', async () => {
    const log = createMemoryLog()
    const hub = createSessionHub({ log })
    expect(await hub.state('s')).toBeUndefined()
    await log.append('s', [{ type: 'session:running' }], { expectedSeq: 0 })
    expect((await hub.state('s'))?.turn.status).toBe('running')
  })
})

describe('hub.answer', () => {
  it('publishes the answered block, and gives the program its reply', async () => {
    const { hub } = await asking()
    const replies: unknown[] = []
    const end = hub.onReply('s', (reply) => replies.push(reply))
    const { reply } = await hub.answer('s', 'r1', { denied: true, comment: 'Not now.' })
    expect(reply).toEqual({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'r1', response: { behavior: 'deny', message: 'Not now.' } },
    })
    expect(replies).toEqual([reply])
    const state = await hub.state('s')
    expect(state?.blocks.find(({ id }) => id === 'r1')).toMatchObject({
      status: 'complete',
      answer: 'deny',
      denied: true,
      comment: 'Not now.',
    })
    end()
  })

  it('keeps an answer that the program does not repeat, at the end of the program too', async () => {
    const { hub, program, piped } = await asking()
    await hub.answer('s', 'r1', 'allow')
    program.end()
    await piped
    const state = await hub.state('s')
    expect(state?.blocks.find(({ id }) => id === 'r1')).toMatchObject({ status: 'complete', answer: 'allow' })
  })

  // The reader met the result first, and took the refusal for a permission.
  it.each([
    ['the next output', [{ type: 'user', message: { role: 'user', content: [DENIED] } }]],
    ['the end of the output', []],
  ])('keeps an answer whose listener is done after %s', async (_, rest) => {
    const hub = createSessionHub()
    const [taken, ended] = [waitingProgram(), waitingProgram()]
    async function* output() {
      yield ASK
      yield* taken.output
      yield* rest
    }
    const piped = hub.pipe('s', output(), 'claude-sdk').finally(ended.end)
    await vi.waitFor(async () => expect(await requestsOf(hub)).toHaveLength(1))
    hub.onReply('s', async () => {
      taken.end()
      await ended.output.next()
    })
    await hub.answer('s', 'r1', { denied: true, comment: 'Not now.' })
    await piped
    const state = await hub.state('s')
    const answered = { status: 'complete', answer: 'deny', denied: true, comment: 'Not now.' }
    expect(state?.blocks.find(({ id }) => id === 'r1')).toMatchObject(answered)
    // A reply that is taken after the end made it run for ever.
    expect(state?.turn.status).toBe('interrupted')
  })

  it('opens a request again if its listener fails behind other output, and the program may then withdraw it', async () => {
    const hub = createSessionHub()
    const [taken, behind, failed] = [waitingProgram(), waitingProgram(), waitingProgram()]
    async function* output() {
      yield ASK
      yield* taken.output
      yield { type: 'system', subtype: 'status', status: 'compacting', session_id: 's', uuid: 'u9' }
      behind.end()
      yield* failed.output
      yield { type: 'control_cancel_request', request_id: 'r1' }
    }
    const piped = hub.pipe('s', output(), 'claude-sdk')
    await vi.waitFor(async () => expect(await requestsOf(hub)).toHaveLength(1))
    hub.onReply('s', async () => {
      taken.end()
      await behind.output.next()
      throw new Error('gone')
    })
    await expect(hub.answer('s', 'r1', { denied: true })).rejects.toMatchObject({ code: 'not-delivered' })
    expect(await requestsOf(hub)).toHaveLength(1)
    failed.end()
    await piped
    const state = await hub.state('s')
    expect(state?.blocks.find(({ id }) => id === 'r1')).not.toHaveProperty('answer')
    expect(state?.blocks.find(({ id }) => id === 'r1')).toMatchObject({ status: 'complete' })
  })

  it('opens a request again that its listener does not take while the events of its server begin again', async () => {
    const hub = createSessionHub()
    const asked = main.event('permission.asked', { id: 'per_1', permission: 'bash' })
    const [first, second] = [
      waitingProgram(...prompt, main.assistantStart('msg_90'), asked),
      waitingProgram(main.assistantStart('msg_91')),
    ]
    const piped = hub.pipe('s', first.output, 'opencode')
    await vi.waitFor(async () => expect(await requestsOf(hub)).toHaveLength(1))
    hub.onReply('s', async () => {
      first.end()
      await piped
      const again = hub.pipe('s', second.output, 'opencode')
      onTestFinished(async () => {
        second.end()
        await again
      })
      await vi.waitFor(async () => expect((await hub.state('s'))?.turn.status).toBe('running'))
      throw new Error('gone')
    })
    await expect(hub.answer('s', 'per_1', 'once')).rejects.toMatchObject({ code: 'not-delivered' })
    expect(await requestsOf(hub)).toMatchObject([{ block: { id: 'per_1' } }])
  })

  it('opens a request again that has moved to its call before the listener fails', async () => {
    const hub = createSessionHub()
    const [called, last] = [waitingProgram(), waitingProgram()]
    const call = { type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'ls' } }
    async function* output() {
      yield { ...ASK, request: { ...ASK.request, agent_id: 'a9' } }
      yield* called.output
      yield { type: 'assistant', uuid: 'u1', message: { id: 'm1', role: 'assistant', content: [call] } }
      yield* last.output
    }
    const piped = hub.pipe('s', output(), 'claude-sdk')
    onTestFinished(async () => {
      last.end()
      await piped
    })
    await vi.waitFor(async () => expect(await requestsOf(hub)).toMatchObject([{ conversationId: 'a9' }]))
    hub.onReply('s', async () => {
      called.end()
      await vi.waitFor(async () => expect((await hub.state('s'))?.blocks).toHaveLength(2))
      throw new Error('gone')
    })
    await expect(hub.answer('s', 'r1', 'allow')).rejects.toMatchObject({ code: 'not-delivered' })
    expect(await requestsOf(hub)).toMatchObject([{ conversationId: 'main', block: { id: 'r1' } }])
  })

  it('lets one of two answers at once win', async () => {
    const { hub } = await asking()
    const both = await Promise.allSettled([hub.answer('s', 'r1', 'allow'), hub.answer('s', 'r1', 'deny')])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(both[1]).toMatchObject({
      reason: expect.objectContaining({ name: 'HubError', code: 'not-pending' }),
    })
    expect((await hub.state('s'))?.blocks.find(({ id }) => id === 'r1')).toMatchObject({ answer: 'allow' })
  })

  it.each([
    ['no-such-session', 'other', 'r1', 'allow'],
    ['no-such-request', 's', 'r2', 'allow'],
    ['wrong-answer', 's', 'r1', 'perhaps'],
    ['wrong-answer', 's', 'r1', null],
    ['wrong-answer', 's', 'r1', { denid: true }],
  ] as const)('rejects with %s: %s %s %j', async (code, ...answer) => {
    const { hub } = await asking()
    const error = await Reflect.apply(hub.answer, undefined, answer).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(HubError)
    expect(error).toMatchObject({ code })
    expect(await requestsOf(hub)).toHaveLength(1)
  })

  it('rejects with no-answer-taken where the program takes none', async () => {
    const hub = createSessionHub()
    const question = {
      id: 'r1',
      type: 'request',
      status: 'pending',
      kind: 'permission',
      title: 'Bash',
    } as const
    await hub.publish('s', [
      { type: 'session:updated', facts: { program: 'ag-ui' } },
      { type: 'session:running' },
      { type: 'block:upsert', block: question },
    ])
    await expect(hub.answer('s', 'r1', 'allow')).rejects.toMatchObject({ code: 'no-answer-taken' })
  })

  it('answers a program of your own with the answer itself', async () => {
    const hub = createSessionHub()
    const ask: SessionEvent = {
      type: 'block:upsert',
      block: {
        id: 'r1',
        type: 'request',
        status: 'pending',
        kind: 'permission',
        title: 'Send the mail',
        options: [
          { id: 'yes', label: 'Yes' },
          { id: 'no', label: 'No' },
        ],
      },
    }
    await hub.publish('s', [{ type: 'session:running' }, ask])
    const replies: unknown[] = []
    hub.onReply('s', (reply) => replies.push(reply))
    await hub.answer('s', 'r1', 'yes')
    expect(replies).toEqual([{ type: 'answer', requestId: 'r1', conversationId: 'main', answer: 'yes' }])
    const state = await hub.state('s')
    expect(state && sessionStatus(state)).toBe('running')
  })

  it.each([
    ['x', [['Ex']]],
    [[['Ex']], [['Ex']]],
    [[['my own words']], [['my own words']]],
  ])('takes %j of a question as labels', async (given, answer) => {
    const hub = createSessionHub()
    const option = { id: 'x', label: 'Ex' }
    const asked = { options: [option], questions: [{ text: 'A?', options: [option] }] }
    const kind = { type: 'request', kind: 'question' } as const
    const block = { id: 'q', ...kind, status: 'pending' as const, title: 'A?', ...asked }
    await hub.publish('s', [{ type: 'block:upsert', block }])
    hub.onReply('s', () => {})
    expect((await hub.answer('s', 'q', given)).reply).toMatchObject({ answer })
    expect((await hub.state('s'))?.blocks[0]).toMatchObject({ answer })
  })

  // The hub took the open request of an agent, and the wire the one of main with its id, which was over.
  it.each([undefined, 'claude-code'])(
    'is for the open one of two requests with one id: %s',
    async (program) => {
      const log = createMemoryLog()
      const [hub, other] = [createSessionHub({ log }), createSessionHub({ log })]
      const of = (words: string) => ({ ...MAIL, title: words, toolUseId: words, data: { input: { words } } })
      await hub.publish('s', [
        { type: 'session:updated', facts: program ? { program } : {} },
        { type: 'session:running' },
        { type: 'block:upsert', block: { ...of('first'), status: 'complete', answer: 'allow' } },
        { type: 'subagent:spawned', toolUseId: 'a', prompt: '' },
        { type: 'block:upsert', block: of('second'), conversationId: 'a' },
      ])
      const replies: unknown[] = []
      onTestFinished(hub.onReply('s', (reply) => replies.push(reply)))
      const { reply } = await other.answer('s', 'r1', 'allow')
      await vi.waitFor(() => expect(replies).toEqual([reply]))
      expect(reply).toMatchObject(
        program ? { response: { response: { updatedInput: { words: 'second' } } } } : { conversationId: 'a' },
      )
    },
  )

  it('of another hub reaches the program, whose hub goes on writing', async () => {
    const log = createMemoryLog()
    const { hub, program, piped } = await asking({ log })
    const replies: unknown[] = []
    const end = hub.onReply('s', (reply) => replies.push(reply))
    onTestFinished(end)
    const other = createSessionHub({ log })
    const both = await Promise.allSettled([
      other.answer('s', 'r1', 'allow'),
      createSessionHub({ log }).answer('s', 'r1', 'deny'),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await vi.waitFor(() => expect(replies).toHaveLength(1))
    expect(replies[0]).toMatchObject({ response: { request_id: 'r1' } })
    program.end()
    expect((await piped).ending).toBe('interrupted')
    expect(replies).toHaveLength(1)
  })
})

// An answer that reached no program was shown as given, and the program waited for ever.
describe('an answer that nobody takes', () => {
  const request = MAIL
  const asked: readonly SessionEvent[] = [
    { type: 'session:running' },
    { type: 'block:upsert', block: request },
  ]

  it('is refused at once without a log that others may share', async () => {
    const hub = createSessionHub()
    await hub.publish('s', asked)
    await expect(hub.answer('s', 'r1', 'yes')).rejects.toMatchObject({ code: 'no-answer-taken' })
    expect(await requestsOf(hub)).toHaveLength(1)
  })

  it('is refused by the only hub of a folder too', async () => {
    const hub = createSessionHub({ log: Object.assign(createMemoryLog(), { hasOneProcess: true as const }) })
    await hub.publish('s', asked)
    await expect(hub.answer('s', 'r1', 'yes')).rejects.toMatchObject({ code: 'no-answer-taken' })
    const replies: unknown[] = []
    onTestFinished(hub.onReply('s', (reply) => replies.push(reply)))
    await hub.answer('s', 'r1', { answer: 'yes', content: { name: 'x' } })
    expect(replies).toMatchObject([{ answer: 'yes', content: { name: 'x' } }])
  })

  it('of another hub comes once, however many sessions wait, and after one that the program does not take', async () => {
    const log = createMemoryLog()
    const hub = createSessionHub({ log })
    const ids = Array.from({ length: 300 }, (_, at) => `s${at}`)
    const replies: string[] = []
    for (const id of ids) {
      await hub.publish(id, asked)
      onTestFinished(hub.onReply(id, () => replies.push(id)))
    }
    await Promise.all(ids.map((id) => hub.answer(id, 'r1', 'yes')))
    const other = createSessionHub({ log })
    await hub.publish('s0', [
      { type: 'block:upsert', block: { ...request, id: 'r2' } },
      { type: 'block:upsert', block: { ...request, id: 'r3' } },
    ])
    await other.publish('s0', [{ type: 'block:upsert', block: { ...request, id: 'r2', status: 'complete' } }])
    await other.answer('s0', 'r3', 'yes')
    await vi.waitFor(() => expect(replies.at(-1)).toBe('s0'))
    expect(replies.toSorted()).toEqual([...ids, 's0'].toSorted())
  })
})

// An async listener that rejected ended the server, and the request was `complete` for ever.
describe.each<[string, () => void | Promise<void>]>([
  [
    'throws',
    () => {
      throw new Error('boom')
    },
  ],
  ['rejects', async () => Promise.reject(new Error('boom'))],
])('a listener that %s', (_, fail) => {
  const failed = { code: 'not-delivered', message: expect.stringContaining('boom') }

  it('lets the person hear it, and leaves the request open for the next answer', async () => {
    const { hub } = await asking()
    const end = hub.onReply('s', fail)
    const response = await post(hub, 's/requests/r1')
    expect([response.status, await response.json()]).toEqual([502, failed])
    expect(await requestsOf(hub)).toMatchObject([{ block: { id: 'r1', options: expect.any(Array) } }])
    end()
    expect((await post(hub, 's/requests/r1')).status).toBe(200)
    expect(await requestsOf(hub)).toEqual([])
  })

  it('lets the sender of a prompt hear it', async () => {
    const hub = createSessionHub()
    hub.onPrompt('s', fail)
    await expect(hub.prompt('s', 'Go')).rejects.toMatchObject({ ...failed, cause: new Error('boom') })
  })

  it('opens the request again that another hub has answered, and is an issue', async () => {
    const issues: unknown[] = []
    const log = createMemoryLog()
    const { hub, program, piped } = await asking({ log, onIssue: (...issue) => void issues.push(issue) })
    const end = hub.onReply('s', fail)
    const other = createSessionHub({ log })
    await other.answer('s', 'r1', 'allow')
    await vi.waitFor(() => expect(issues).toEqual([['s', failed]]))
    expect(await requestsOf(other)).toHaveLength(1)
    end()
    await other.answer('s', 'r1', 'deny')
    program.end()
    expect((await piped).ending).toBe('interrupted')
    expect((await hub.state('s'))?.blocks.find(({ id }) => id === 'r1')).toMatchObject({ answer: 'deny' })
  })

  it('leaves an answer without a call after which the program has written', async () => {
    const hub = createSessionHub()
    await hub.publish('s', [{ type: 'session:running' }, { type: 'block:upsert', block: MAIL }])
    const words = { id: 'x', type: 'assistant_text', status: 'complete', content: 'I go on.' } as const
    hub.onReply('s', async () => {
      await hub.publish('s', [{ type: 'block:upsert', block: words }])
      return fail()
    })
    await expect(hub.answer('s', 'r1', 'yes')).rejects.toMatchObject(failed)
    expect(await requestsOf(hub)).toEqual([])
  })

  it('leaves an answer that the program has taken all the same', async () => {
    const { hub } = await asking()
    const result = {
      id: 'x',
      type: 'tool_result',
      status: 'complete',
      toolUseId: 'call_1',
      output: 'ok',
      isError: false,
    } as const
    hub.onReply('s', async () => {
      await hub.publish('s', [{ type: 'block:upsert', block: result }])
      return fail()
    })
    await expect(hub.answer('s', 'r1', 'allow')).rejects.toMatchObject(failed)
    expect(await requestsOf(hub)).toEqual([])
  })

  it('of issues changes nothing', async () => {
    const onIssue = vi.fn(fail)
    const hub = createSessionHub({ onIssue })
    await hub.publish('s', [{ type: 'block:delta', blockId: 'b', delta: 'y' }])
    await vi.waitFor(() => expect(onIssue).toHaveBeenCalledOnce())
    expect(await hub.state('s')).toBeDefined()
  })
})

it('lets nobody else answer while the program takes an answer', async () => {
  const { hub } = await asking()
  const program = waitingProgram()
  hub.onReply('s', async () => void (await program.output.next()))
  const first = hub.answer('s', 'r1', 'allow')
  await expect(hub.answer('s', 'r1', 'deny')).rejects.toMatchObject({ code: 'not-pending' })
  program.end()
  expect((await first).reply).toBeDefined()
})

// The answer never settled, not even when the program was dead.
it('rejects an answer whose listener is taken away before it is done, and not one that ends itself', async () => {
  const hub = createSessionHub()
  const ids = ['r1', 'r2']
  await hub.publish('s', [
    { type: 'session:running' },
    ...ids.map((id) => ({ type: 'block:upsert', block: { ...MAIL, id } }) as const),
  ])
  const own = hub.onReply('s', async () => own())
  await hub.answer('s', 'r1', 'yes')
  const end = hub.onReply('s', () => new Promise<void>(() => {}))
  const answer = hub.answer('s', 'r2', 'yes')
  await vi.waitFor(async () => expect(await requestsOf(hub)).toEqual([]))
  end()
  await expect(answer).rejects.toMatchObject({ code: 'not-delivered' })
})

it('leaves a session deleted whose answer does not reach the program', async () => {
  const log = createMemoryLog()
  const { hub } = await asking({ log })
  hub.onReply('s', async () => {
    await hub.delete('s')
    throw new Error('boom')
  })
  await expect(hub.answer('s', 'r1', 'allow')).rejects.toMatchObject({ code: 'not-delivered' })
  expect([await log.loadSnapshot('s'), await hub.state('s')]).toEqual([null, undefined])
})

// The person could answer no more, and the program waited for ever.
it('keeps the request of a running program while another output begins', async () => {
  const { hub } = await asking()
  const second = waitingProgram({ type: 'system', subtype: 'status', status: 'compacting', uuid: 'u9' })
  const piped = hub.pipe('s', second.output, 'claude-sdk')
  await hub.state('s')
  expect(await requestsOf(hub)).toHaveLength(1)
  await hub.answer('s', 'r1', 'allow')
  second.end()
  await piped
})

it.each<[string, unknown, string, ErrorConstructor]>([
  ['wrong architecture', [], 'codexx', RangeError],
  ['stream that has a reader', lockedStream(), 'claude-sdk', TypeError],
])('a pipe that is refused for a %s ends nothing', async (_, output, wire, error) => {
  const log = createMemoryLog()
  await asking({ log })
  const hub = createSessionHub({ log })
  await expect(Reflect.apply(hub.pipe, hub, ['s', output, wire])).rejects.toThrow(error)
  expect(await requestsOf(hub)).toHaveLength(1)
})

function lockedStream(): ReadableStream {
  const stream = new ReadableStream()
  stream.getReader()
  return stream
}

describe('a POST to a hub', () => {
  it('answers a request once, and then with 409', async () => {
    const { hub } = await asking()
    expect((await post(hub, 'any/where/s/requests/r1')).status).toBe(200)
    const second = await post(hub, 'any/where/s/requests/r1')
    expect(second.status).toBe(409)
    expect(await second.json()).toMatchObject({ code: 'not-pending' })
  })

  it.each([
    ['another content type', 415, { headers: { 'content-type': 'text/plain' } }],
    ['no JSON', 400, { body: '{' }],
    ['no answer', 400, { body: { answers: 'allow' } }],
    ['a misspelt refusal', 400, { body: { answer: { answer: 'allow', refused: true } } }],
    ['a refusal in the wrong place', 400, { body: { answer: 'allow', denied: true } }],
    ['more than 64 KiB', 413, { body: { answer: { denied: true, comment: 'x'.repeat(65_536) } } }],
    ['the page of another site', 403, { headers: { origin: 'https://evil.example' } }],
    ['a page of another site that the browser names', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['a page without an origin', 403, { headers: { origin: 'null' } }],
    ['an option that is none', 422, { body: { answer: 'perhaps' } }],
  ])('with %s gets %i', async (_, status, init) => {
    const { hub } = await asking()
    expect((await post(hub, 's/requests/r1', init)).status).toBe(status)
    expect(await requestsOf(hub)).toHaveLength(1)
  })

  it.each([
    ['that a listener takes', 200, { body: { prompt: 'Go on.' } }],
    ['without words', 400, { body: { prompt: ' ' } }],
    ['of the page of another site', 403, { headers: { origin: 'https://evil.example' } }],
    ['of who may not answer', 403, { headers: { cookie: 'reader' } }],
  ])('may be a prompt %s: %i', async (_, status, init) => {
    const { hub } = await asking({
      authorize: ({ headers }, _, action) => action !== 'answer' || headers.get('cookie') !== 'reader',
    })
    const prompts: string[] = []
    expect((await post(hub, 's/prompts', { body: { prompt: 'Go on.' } })).status).toBe(422)
    hub.onPrompt('s', (prompt) => prompts.push(prompt))
    expect((await post(hub, 's/prompts', init)).status).toBe(status)
    expect(prompts).toEqual(status === 200 ? ['Go on.'] : [])
  })

  const late = { answer: 'deny' }
  it.each<[string, string, object]>([
    ['s/requests/r1', 'Somebody else has answered, or the program has withdrawn the request.', late],
    ['s/requests/r2', 'The session has no such request.', late],
    ['other/requests/r1', 'There is no such session.', late],
    [
      's/requests/q',
      'the input of its call is not known, and the program would run the call with another one',
      late,
    ],
    ['s/prompts', 'The prompt is empty: "prompt" has no words.', { prompt: ' ' }],
    ['s/prompts', 'The prompt did not reach the program: boom', { prompt: 'Go' }],
    ['s/prompts', 'send { "prompt": … } as JSON: the prompt is a text', { prompt: 5 }],
    ['s/prompts', 'send { "prompt": … } as JSON: the prompt is a text', {}],
    ['other/prompts', 'There is no such session.', { prompt: 'Go' }],
  ])('gets words for a person, without ids: %s, %s', async (path, message, body) => {
    const { hub } = await asking()
    await hub.publish('s', [{ type: 'block:upsert', block: { ...MAIL, id: 'q', kind: 'question' } }])
    await hub.answer('s', 'r1', 'allow')
    hub.onPrompt('s', () => Promise.reject(new Error('boom')))
    expect(await (await post(hub, path, { body })).json()).toMatchObject({ message })
  })

  it.each(['hub/requests/prompts', 'requests/prompts', 'prompts/prompts'])('of %s gets 404', async (path) => {
    const { hub } = await asking()
    for (const id of ['hub', 'requests', 'prompts']) hub.onPrompt(id, () => {})
    expect((await post(hub, path, { body: { prompt: 'Go', answer: 'x' } })).status).toBe(404)
    expect(await (await post(hub, path, { body: { prompt: 'Go', answer: 'x' } })).text()).toBe('')
  })

  it('reads no more of a body than its limit', async () => {
    const { hub } = await asking()
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(16_384))
      },
    })
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    const request = new Request('http://hub.example/s/requests/r1', init)
    expect((await hub.fetch(request)).status).toBe(413)
    expect(pulled).toBeLessThan(10)
  })

  it('asks whether the sender may answer, and whether there is such a session', async () => {
    const asked: unknown[] = []
    const { hub } = await asking({
      authorize: (_, id, action) => {
        asked.push([id, action])
        return action !== 'answer' || id !== 'secret'
      },
      exists: (id) => id === 's' || id === 'secret',
    })
    expect((await post(hub, 'secret/requests/r1')).status).toBe(403)
    expect((await post(hub, 'unknown/requests/r1')).status).toBe(404)
    expect((await post(hub, 's/requests/r2')).status).toBe(404)
    expect((await post(hub, 's/requests/r1')).status).toBe(200)
    expect(asked).toContainEqual(['s', 'answer'])
    const get = await hub.fetch(new Request('http://hub.example/unknown'))
    expect(get.status).toBe(404)
  })
})

describe('hub.reload', () => {
  it('replaces the session of a stream by that of its file', async () => {
    const hub = createSessionHub()
    await hub.publish('s', [
      { type: 'block:upsert', block: { id: 'x', type: 'assistant_text', status: 'complete', content: 'x' } },
    ])
    const line = { type: 'user', uuid: 'u1', sessionId: 'a', message: { role: 'user', content: 'Hello' } }
    const { ending } = await hub.reload('s', `${JSON.stringify(line)}\n`, 'claude-sdk')
    expect(ending).toBe('interrupted')
    expect((await hub.state('s'))?.blocks.map(({ type }) => type)).toEqual(['user_message'])
  })
})

// An agent of one's own sent the names of its API, or a status of another kind. Nothing came, and nobody said why.
describe('publish', () => {
  it.each<[string, unknown]>([
    [
      'event 2: usage: pass an object with',
      { type: 'usage:reported', messageId: 'm', usage: { input_tokens: 3 }, final: true },
    ],
    ...['usage.inputTokens', 'usage.outputTokens'].map((place, at): [string, unknown] => [
      `event 2: ${place}: pass a whole number from 0`,
      {
        type: 'usage:reported',
        messageId: 'm',
        usage: at === 0 ? { inputTokens: -5 } : { outputTokens: 1.5 },
        final: true,
      },
    ]),
    ['event 2: timestamp: pass an ISO 8601 time', { type: 'session:running', timestamp: 'yesterday' }],
    [
      'event 2: timestamp: pass an ISO 8601 time',
      { type: 'block:delta', blockId: 'a', delta: '', context: { timestamp: 'now' } },
    ],
    [
      'event 2: block.timestamp: pass an ISO 8601 time',
      {
        type: 'block:upsert',
        block: { id: 'p', type: 'assistant_text', status: 'complete', content: '', timestamp: 'noon' },
      },
    ],
    ['event 2: facts.contextTokens', { type: 'session:updated', facts: { contextTokens: -1 } }],
    ['event 2: facts.costUsd', { type: 'session:updated', facts: { costUsd: -0.1 } }],
    [
      'event 2: durationMs',
      { type: 'subagent:completed', toolUseId: 'c', status: 'completed', durationMs: -1 },
    ],
    ['event 2: status', { type: 'subagent:completed', toolUseId: 'c', status: 'success' }],
    ['event 2: type', { type: 'session:started' }],
    ['event 2: ', null],
    ['pass a list of events, or an update of followSession', undefined],
  ])('rejects with the place of a wrong field, and publishes nothing: %s', async (place, event) => {
    const hub = createSessionHub()
    const events: unknown =
      event === undefined ? { type: 'session:running' } : [{ type: 'session:running' }, event]
    const error = await Reflect.apply(hub.publish, undefined, ['s', events]).catch(
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(HubError)
    expect(error).toMatchObject({ code: 'malformed-event', message: expect.stringContaining(place) })
    expect(await hub.state('s')).toBeUndefined()
  })

  it('takes the time of a program as it is, and unknown fields', async () => {
    const hub = createSessionHub()
    await hub.publish('s', { events: [{ type: 'session:running', timestamp: 'yesterday' }] })
    const named = {
      type: 'session:updated',
      timestamp: '2026-11-30',
      facts: { model: 'm', modle: 'n' },
    } as const
    await hub.publish('s', [named])
    expect(await hub.state('s')).toMatchObject({
      turn: { startedAt: 'yesterday' },
      session: { model: 'm' },
    })
  })
})

describe('onIssue', () => {
  const text = { id: 'a', type: 'assistant_text', status: 'complete', content: 'x' } as const
  const issuesIn = async (...events: readonly SessionEvent[]) => {
    const issues: unknown[] = []
    const hub = createSessionHub({ onIssue: (id, { code }) => issues.push(`${id} ${code}`) })
    await hub.publish('s', [{ type: 'block:upsert', block: text }])
    expect(issues).toEqual([])
    await hub.publish('s', events)
    return issues
  }

  it.each<[string, SessionEvent]>([
    ['stale-upsert', { type: 'block:upsert', block: { ...text, status: 'pending' } }],
    ['delta-after-final', { type: 'block:delta', blockId: 'a', delta: 'y' }],
    ['delta-before-block', { type: 'block:delta', blockId: 'b', delta: 'y' }],
    ['unplaced-message', { type: 'block:upsert', conversationId: 'call_9', block: text }],
    ['unplaced-message', { type: 'subagent:completed', toolUseId: 'call_9', status: 'completed' }],
  ])('says %s of a published event', async (code, event) => {
    expect(await issuesIn(event)).toEqual([`s ${code}`])
  })

  it('says nothing of the conversation of an agent that was started', async () => {
    const spawned = { type: 'subagent:spawned', toolUseId: 'call_9', prompt: 'Look.' } as const
    expect(await issuesIn({ type: 'block:upsert', conversationId: 'call_9', block: text }, spawned)).toEqual(
      [],
    )
  })

  it('says what pipe does not know while the program runs', async () => {
    const onIssue = vi.fn()
    const hub = createSessionHub({ onIssue })
    const program = waitingProgram(ASK, { type: 'tea' })
    const piped = hub.pipe('s', program.output, 'claude-sdk')
    const issue = expect.objectContaining({ code: 'unknown-message', messageType: 'tea' })
    await vi.waitFor(() => expect(onIssue).toHaveBeenCalledWith('s', issue))
    program.end()
    expect((await piped).issues).toContainEqual(issue)
  })

  // A turn of another session of one OpenCode server was a dozen issues.
  it('says once that an output has another session, and pipe counts its messages', async () => {
    const issues: unknown[] = []
    const hub = createSessionHub({ onIssue: (_, { code }) => issues.push(code) })
    await hub.publish('s', [{ type: 'session:updated', facts: { id: main.id, program: 'opencode' } }])
    const other = new SessionEvents('ses_other')
    const result = await hub.pipe(
      's',
      [...prompt, other.created(), ...idleEvents(other), ...answer],
      'opencode',
    )
    expect(issues).toEqual(['other-session'])
    expect(result.issues.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(3)
  })
})

// A program that does not start was nowhere: no session, no reason.
describe('the failure of a program', () => {
  const message = 'spawn nosuch ENOENT'
  const ended = [
    { type: 'session:running' },
    { type: 'session:idle', outcome: 'finished' },
  ] as const satisfies readonly SessionEvent[]
  const piped = async (
    output: readonly unknown[],
    failure: string | undefined,
    before: readonly SessionEvent[] = [],
  ) => {
    const hub = createSessionHub()
    await hub.publish('s', before)
    await hub.pipe('s', output, { architecture: 'claude-sdk', failure: Promise.resolve(failure) })
    return (await hub.state('s'))?.turn
  }

  it.each([
    ['without output', [], []],
    ['in mid-turn', [ASK], []],
    ['of a session that had finished', [], ended],
  ])('%s is that of the session', async (_, output, before) => {
    expect(await piped(output, message, before)).toMatchObject({ status: 'failed', error: message })
    expect((await piped(output, undefined, before))?.status).not.toBe('failed')
  })

  // It crashed the program while the output went on, and the session ran for ever.
  it('may be a rejection, at any time', async () => {
    const hub = createSessionHub()
    const broken = new Error('boom')
    async function* output() {
      yield ASK
      // Node reports a rejection that nobody has taken before the next turn of its loop.
      await new Promise(setImmediate)
    }
    await hub.pipe('s', output(), { architecture: 'claude-sdk', failure: Promise.reject(broken) })
    expect((await hub.state('s'))?.turn).toMatchObject({ status: 'failed', error: 'boom' })
  })

  it('is none of a turn that ended by itself', async () => {
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'ok',
      session_id: 'x',
      uuid: 'u',
    }
    expect((await piped([ASK, result], message))?.status).toBe('finished')
  })
})

it.each([
  [new Error('boom'), 'boom'],
  [new Error('fetch failed', { cause: new Error('closed') }), 'fetch failed: closed'],
  [new Error('fetch failed', { cause: 'closed' }), 'fetch failed: closed'],
  [new Error('fetch failed', { cause: null }), 'fetch failed'],
  [new Error('fetch failed', { cause: {} }), 'fetch failed'],
  [Object.create(null), '[object Object]'],
  [null, 'null'],
])('tells the person what a listener threw, %o', async (thrown, words) => {
  const { hub } = await asking()
  hub.onReply('s', () => Promise.reject(thrown))
  await expect(hub.answer('s', 'r1', 'allow')).rejects.toMatchObject({
    message: `The answer did not reach the program: ${words}`,
  })
})

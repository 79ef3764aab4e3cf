import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toUIMessages } from '../../../src/entries/ai-sdk.ts'
import { createSessionHub, HubError } from '../../../src/entries/hub.ts'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { eventually, fakeTimers, Page, ticks } from './page.ts'

type Block = Extract<SessionEvent, { type: 'block:upsert' }>['block']
const upsert = (block: Block): SessionEvent => ({ type: 'block:upsert', block })
let count = 0
const user = (content: string): SessionEvent => {
  count += 1
  return upsert({ id: `u${count}`, type: 'user_message', status: 'complete', content })
}
const growing = upsert({ id: 'a', type: 'assistant_text', status: 'pending', content: 'One' })
const grows: SessionEvent = { type: 'block:delta', blockId: 'a', delta: ' word' }
const over = (outcome: 'finished' | 'failed' | 'interrupted'): SessionEvent => ({
  type: 'session:idle',
  outcome,
})
const call = { id: 'c', type: 'tool_use', toolName: 'Bash', toolUseId: 'c', input: {} } as const
const asks = upsert({
  id: 'r',
  type: 'request',
  kind: 'permission',
  title: 'ls',
  toolUseId: 'c',
  status: 'pending',
})
const spawn: SessionEvent = { type: 'subagent:spawned', toolUseId: 'agent', prompt: 'Look.' }
const ofAgent = (event: SessionEvent): SessionEvent => ({ ...event, conversationId: 'agent' })

fakeTimers()

/** Holds the requests of the page back, as a slow network does. */
function holdNetwork(page: Page): () => void {
  let release = (): void => {}
  page.network = new Promise((resolve) => {
    release = resolve
  })
  return release
}

async function open(events: readonly SessionEvent[]) {
  const hub = createSessionHub()
  const taken: string[] = []
  hub.onPrompt('s', (prompt) => void taken.push(prompt))
  await hub.publish('s', events)
  const page = new Page(hub)
  onTestFinished(() => page.close())
  const shows = (ms = 0) =>
    eventually(async () => {
      vi.advanceTimersByTime(ms)
      const state = await hub.state('s')
      const messages = state ? toUIMessages(state, { version: 6 }) : []
      expect(JSON.parse(JSON.stringify(page.chat.messages))).toEqual(JSON.parse(JSON.stringify(messages)))
    })
  const loads = () => page.requests.filter((each) => each === '/messages 200').length
  await shows()
  const publish = async (...more: SessionEvent[]) => {
    await hub.publish('s', more)
    await shows(300)
  }
  const send = async (...prompts: readonly string[]) => {
    const before = taken.length
    const release = holdNetwork(page)
    for (const words of prompts) {
      page.session.write(words)
      void page.session.send()
      await ticks()
    }
    release()
    await vi.waitFor(() => expect(taken.slice(before)).toEqual(prompts))
  }
  return { hub, page, shows, loads, publish, send }
}

describe('the requests of a page', () => {
  // A page loaded all messages for each word, because the last message was a prompt.
  it('streams the answer that grows while prompts wait behind it', async () => {
    const { hub, page, shows, loads, publish } = await open([user('Go'), growing])
    await publish(user('Next'))
    await vi.waitFor(() => expect(page.chat.status).toBe('streaming'))
    const before = loads()
    for (let each = 0; each < 40; each += 1) {
      await hub.publish('s', [grows])
      await shows()
    }
    expect([loads(), page.session.get().status]).toEqual([before, 'running'])
    expect(page.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('loads the messages once in a while as an agent grows in the background', async () => {
    const said = ofAgent(growing)
    const { hub, page, shows, loads } = await open([user('Go'), spawn, said, over('finished')])
    for (let each = 0; each < 40; each += 1) await hub.publish('s', [ofAgent(grows)])
    expect(loads()).toBe(1)
    vi.advanceTimersByTime(300)
    await shows()
    expect([loads(), page.session.get().status]).toEqual([2, 'background'])
  })
})

it.each([
  ['idle', []],
  ['running', [user('Go'), growing]],
  ['running', [user('Go'), growing, user('Next')]],
  ['waiting', [user('Go'), upsert({ ...call, status: 'pending' }), asks]],
  ['background', [user('Go'), spawn, ofAgent(growing), over('finished')]],
  ['finished', [user('Go'), growing, over('finished')]],
  ['interrupted', [user('Go'), growing, over('interrupted')]],
] as const)('states the status of the session: %s', async (status, events) => {
  const { page } = await open(events)
  expect(page.session.get().status).toBe(status)
})

/** Opens a page of a session with a finished turn, and sends before the page has loaded it. Resolves when it has. */
async function sentBeforeLoad({ history, words }: { history: string; words: string }): Promise<Page> {
  const hub = createSessionHub()
  await hub.publish('s', [user(history), over('finished')])
  const page = new Page(hub)
  onTestFinished(() => page.close())
  page.session.write(words)
  await page.session.send()
  await vi.waitFor(() => expect(page.chat.messages.map(({ id }) => id)).toEqual([`u${count}`]))
  return page
}

describe('the words of prompts that wait', () => {
  it.each([
    ['another page sends words that have them', ['go'], [user('A good algorithm?')], [['go'], '']],
    ['one of two with the same words is taken', ['go on', 'go on'], [user('go on')], [['go on'], '']],
    ['two are taken as one', ['fix a', 'fix b', 'c'], [user('fix a\n\nfix b')], [['c'], '']],
    ['the turn fails', ['fix a', 'fix b'], [over('failed')], [[], 'fix a fix b']],
    [
      'they return, and are taken as one',
      ['fix a', 'fix b'],
      [over('failed'), user('fix a\nfix b')],
      [[], ''],
    ],
    ['they return with their lines', ['a\nb'], [over('failed'), user('c')], [[], 'a\nb']],
    ['they return, and one is taken', ['a', 'b'], [over('interrupted'), user('b')], [[], 'a']],
    ['another page sends such words, and the turn fails', ['go'], [user('good'), over('failed')], [[], 'go']],
  ] as const)('are lost in no case: %s', async (_, own, events, shown) => {
    const { page, publish, send } = await open([user('First'), growing])
    await send(...own)
    // It ends the stream of the last prompt.
    await publish(grows)
    for (const event of events) await publish(event)
    const { waiting, text } = page.session.get()
    const texts = waiting.flatMap(({ parts }) => parts.map((part) => part.type === 'text' && part.text))
    expect([texts, text]).toEqual(shown)
  })

  it('stay in the input that the person has changed', async () => {
    const { page, publish, send } = await open([user('First'), growing])
    await send('fix a')
    await publish(grows)
    await publish(over('failed'))
    page.session.write('fix all')
    await publish(user('fix a'))
    expect(page.session.get().text).toBe('fix all')
    await publish({ type: 'session:running' }, over('failed'))
    page.session.write('fix a')
    await publish(user('fix a'))
    expect(page.session.get().text).toBe('fix a')
  })

  // The stream of the second prompt was the answer to the first, and so the second counted as taken.
  it('stay while the session answers another own prompt', async () => {
    const { hub, page, publish, send } = await open([user('First'), over('finished')])
    await send('A', 'B')
    await hub.publish('s', [user('A'), growing])
    await vi.waitFor(() => expect(page.chat.status).toBe('streaming'))
    await publish(over('finished'))
    await publish({ type: 'session:running' }, over('failed'))
    expect(page.session.get()).toMatchObject({ text: 'B', waiting: [] })
  })

  // The old words of the session took those that the person had just written.
  it('stay in the input through the first load, also if the session has such words', async () => {
    const page = await sentBeforeLoad({ history: 'continue', words: 'continue' })
    expect(page.session.get().text).toBe('continue')
  })

  it('return if no program takes them, also those of a page that has not loaded', async () => {
    const page = await sentBeforeLoad({ history: 'Go', words: 'Are you there?' })
    const reason = expect.stringContaining('o program takes prompts')
    expect(page.session.get()).toMatchObject({ text: 'Are you there?', reason })
  })
})

// It was gone half a second later, when the restarted server showed the form again.
it('keeps the reason of a failed approval until the turn changes, also through a restart', async () => {
  const { hub, page, publish } = await open([user('Go'), upsert({ ...call, status: 'pending' }), asks])
  hub.onReply('s', () => Promise.reject(new HubError('not-pending', 'The program waits no more.')))
  await page.session.answer('r', true)
  const reason = () => page.session.get().reason
  const said = expect.stringContaining('The program waits no more.')
  expect(reason()).toEqual(said)
  await publish(over('interrupted'))
  expect(reason()).toBeUndefined()
  await publish({ type: 'session:running' }, asks)
  expect(reason()).toEqual(said)
  await publish(user('Next'))
  expect(reason()).toBeUndefined()
})

// The call counts as over after a restart, while its program still waits.
it('answers a request whose call is over', async () => {
  const { hub, page } = await open([user('Go'), upsert({ ...call, status: 'error' }), asks])
  const replies: unknown[] = []
  hub.onReply('s', (reply) => void replies.push(reply))
  void page.session.answer('r', true)
  await vi.waitFor(() => expect(replies).toHaveLength(1))
})

// It ended the connection: the page showed nothing more.
it('goes on after a listener has thrown', async () => {
  const thrown: unknown[] = []
  vi.stubGlobal('queueMicrotask', (report: () => void) => {
    try {
      report()
    } catch (error) {
      thrown.push(error)
    }
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { page, publish } = await open([user('Go')])
  const broken = new Error('a broken listener')
  let calls = 0
  const end = page.session.subscribe(() => {
    throw broken
  })
  page.session.subscribe(() => {
    calls += 1
  })
  await publish(growing)
  end()
  expect(thrown).toContain(broken)
  expect(calls).toBeGreaterThan(0)
})

// The page asked three times a second, for ever, and had no reason.
it.each([
  [403, 1],
  [429, 3],
  [502, 3],
])('says why the messages do not load, and asks again only where it helps: %s', async (status, most) => {
  const { hub, page, shows } = await open([user('Go')])
  const loads = () => page.requests.filter((each) => each === `/messages ${status}`).length
  page.proxy = () => new Response('You may not.', { status })
  await hub.publish('s', [growing])
  await ticks()
  for (const ms of [300, 600, 1200]) {
    vi.advanceTimersByTime(ms)
    await ticks()
  }
  expect(loads()).toBe(most)
  expect(page.session.get()).toMatchObject({ status: 'lost', reason: 'You may not.' })
  page.proxy = undefined
  page.session.write('Next')
  void page.session.send()
  await ticks()
  await hub.publish('s', [grows])
  await shows()
  expect(page.session.get()).toMatchObject({ status: 'running', reason: undefined })
})

it('follows only while somebody listens', async () => {
  const { hub, page } = await open([user('Go'), growing])
  await page.close()
  await ticks()
  const before = page.requests.length
  await hub.publish('s', [grows])
  vi.advanceTimersByTime(300)
  await ticks()
  expect([page.requests.length, page.chat.status]).toEqual([before, 'ready'])
})

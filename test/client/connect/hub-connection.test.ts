import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub } from '../../../src/entries/hub.ts'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'
import { connectHub, HubError, type SessionConnection } from '../../../src/entries/sync.ts'
import { hubPage } from './hub-page.ts'

const text = (id: string, content = id): SessionEvent => ({
  type: 'block:upsert',
  block: { id, type: 'assistant_text', status: 'complete', content },
})
const ask: SessionEvent = {
  type: 'block:upsert',
  block: { id: 'r1', type: 'request', status: 'pending', kind: 'permission', title: 'Mail' },
}

const ids = ({ store }: SessionConnection) => store.flush().blocks.map(({ id }) => id)

async function twoSessions() {
  const log = createMemoryLog()
  let hub = createSessionHub({ log })
  await hub.publish('a', [text('a1')])
  await hub.publish('b', [text('b1')])
  return {
    log,
    server: () => hub,
    restart: () => {
      hub = createSessionHub({ log })
    },
  }
}

describe('connectHub', () => {
  it('follows several sessions and the list over one connection', async () => {
    const { server } = await twoSessions()
    const { hub, requests } = hubPage(server)
    const [a, b] = [hub.session('a'), hub.session('b')]
    expect(hub.sessions.get()).toEqual([])
    await vi.waitFor(() =>
      expect([a.status, b.status, hub.sessions.get().length]).toEqual(['live', 'live', 2]),
    )
    expect([ids(a), ids(b)]).toEqual([['a1'], ['b1']])
    expect(requests).toEqual(['GET /sessions/events?session=a&session=b&list=1'])
    await server().publish('b', [text('b2')])
    await vi.waitFor(() => expect(ids(b)).toEqual(['b1', 'b2']))
    expect(requests).toHaveLength(1)
  })

  it('goes on with each session after a break, without doubling anything', async () => {
    const { server, restart } = await twoSessions()
    const { hub, requests, cut } = hubPage(server)
    const [a, b] = [hub.session('a'), hub.session('b')]
    await vi.waitFor(() => expect([a.status, b.status]).toEqual(['live', 'live']))
    cut()
    restart()
    await server().publish('a', [text('a2')])
    await vi.waitFor(() => expect(a.status).toBe('lost'))
    await vi.waitFor(() => expect(ids(a)).toEqual(['a1', 'a2']))
    expect(ids(b)).toEqual(['b1'])
    expect(b.status).toBe('live')
    expect(requests.at(-1)).toContain('&after=a%3D1')
  })

  it('opens a further session without a break of the others', async () => {
    const { server } = await twoSessions()
    const { hub } = hubPage(server)
    const a = hub.session('a')
    await vi.waitFor(() => expect(a.status).toBe('live'))
    const seen: string[] = []
    a.subscribe(() => seen.push(a.status))
    const b = hub.session('b')
    await vi.waitFor(() => expect(b.status).toBe('live'))
    await server().publish('a', [text('a2')])
    await vi.waitFor(() => expect(ids(a)).toEqual(['a1', 'a2']))
    expect(seen).toEqual([])
  })

  it('shares the store of a session, and follows it until all have closed it', async () => {
    const { server } = await twoSessions()
    const { hub, requests } = hubPage(server)
    const [first, second] = [hub.session('a'), hub.session('a')]
    expect(first.store).toBe(second.store)
    await vi.waitFor(() => expect(first.status).toBe('live'))
    first.close()
    expect([first.status, second.status]).toEqual(['ended', 'live'])
    second.close()
    hub.session('b')
    await vi.waitFor(() => expect(requests.at(-1)).toBe('GET /sessions/events?session=b'), 3000)
  })

  it('refuses and ends sessions one by one', async () => {
    const { server } = await twoSessions()
    const guarded = createSessionHub({ exists: (id) => id !== 'x' })
    await guarded.publish('a', [text('a1')])
    const { hub } = hubPage(() => guarded)
    const [a, x] = [hub.session('a'), hub.session('x')]
    await vi.waitFor(() => expect([a.status, x.status]).toEqual(['live', 'refused']))
    await guarded.delete('a')
    await vi.waitFor(() => expect(a.status).toBe('ended'))
    await server().publish('a', [text('a2')])
    expect(ids(a)).toEqual(['a1'])
  })

  it('answers a request once, and says why it could not', async () => {
    const { server } = await twoSessions()
    await server().publish('a', [{ type: 'session:running' }, ask])
    server().onReply('a', () => {})
    const { hub } = hubPage(server)
    const a = hub.session('a')
    await vi.waitFor(() => expect(a.status).toBe('live'))
    await hub.answer('a', 'r1', 'allow')
    await vi.waitFor(() => expect(a.store.flush().blocks.at(-1)).toMatchObject({ answer: 'allow' }))
    const error = await hub.answer('a', 'r1', 'deny').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(HubError)
    expect(error).toMatchObject({ code: 'not-pending' })
  })

  it('lists the newest session first, and drops a deleted one', async () => {
    const { server } = await twoSessions()
    const { hub } = hubPage(server)
    const listed = () => hub.sessions.get().map(({ id }) => id)
    const end = hub.sessions.subscribe(() => {})
    onTestFinished(end)
    await vi.waitFor(() => expect(listed().toSorted()).toEqual(['a', 'b']))
    await server().publish('a', [
      {
        type: 'block:upsert',
        block: {
          id: 'p',
          type: 'user_message',
          status: 'complete',
          content: 'Hi',
          timestamp: '2026-01-01T00:00:00Z',
        },
      },
    ])
    await vi.waitFor(() => expect(listed()).toEqual(['a', 'b']))
    expect(hub.sessions.get()).toBe(hub.sessions.get())
    await server().delete('b')
    await vi.waitFor(() => expect(listed()).toEqual(['a']))
  })

  // Two tabs had two orders: one put each changed session first.
  it('lists sessions without a time in the order of their ids, in every tab', async () => {
    const { server } = await twoSessions()
    const tabs = [hubPage(server).hub]
    const listed = () =>
      tabs.map(({ sessions }) =>
        sessions
          .get()
          .map(({ id, agents }) => `${id} ${agents}`)
          .join(),
      )
    for (const { sessions } of tabs) onTestFinished(sessions.subscribe(() => {}))
    await vi.waitFor(() => expect(listed()).toEqual(['a 0,b 0']))
    await server().publish('b', [{ type: 'subagent:spawned', toolUseId: 't', prompt: 'Look.' }])
    await vi.waitFor(() => expect(listed()).toEqual(['a 0,b 1']))
    const { hub: fresh } = hubPage(server)
    tabs.push(fresh)
    onTestFinished(fresh.sessions.subscribe(() => {}))
    await vi.waitFor(() => expect(listed()).toEqual(['a 0,b 1', 'a 0,b 1']))
  })

  it('keeps an address that a server takes, however many sessions a page follows', async () => {
    const { server } = await twoSessions()
    const { hub, requests, cut } = hubPage(server)
    const many = Array.from({ length: 90 }, (_, at) => hub.session(`session-${at}`))
    await vi.waitFor(() => expect(many.every(({ status }) => status === 'live')).toBe(true))
    for (const [at] of many.entries()) await server().publish(`session-${at}`, [text('x')])
    await vi.waitFor(() => expect(many.every((each) => ids(each).length === 1)).toBe(true))
    cut()
    await vi.waitFor(() => expect(requests.length).toBe(2))
    expect(requests.at(-1)?.length).toBeLessThan(8000)
    await vi.waitFor(() => expect(many.every(({ status }) => status === 'live')).toBe(true))
    expect(many.every((each) => ids(each).length === 1)).toBe(true)
  })

  it('refuses an address that is none', () => {
    expect(() => Reflect.apply(connectHub, undefined, [1])).toThrow(TypeError)
  })
})

// A handler of errors that failed ended the connection for good.
it.each([
  [
    'throws',
    () => {
      throw new Error('log')
    },
  ],
  ['rejects', async () => Promise.reject(new Error('log'))],
])('connects again also if `onError` %s', async (_, onError) => {
  let tries = 0
  const hub = connectHub('http://hub.example/', {
    fetch: async () => {
      tries += 1
      throw new TypeError('no network')
    },
    onError,
  })
  onTestFinished(() => hub.close())
  hub.session('s')
  await expect.poll(() => tries).toBeGreaterThan(1)
})

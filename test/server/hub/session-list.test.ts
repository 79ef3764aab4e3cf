import { describe, expect, it, onTestFinished } from 'vitest'
import { createSessionHub, type HubOptions, type HubSessionSummary } from '../../../src/entries/hub.ts'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'

const prompt = (content: string, timestamp: string): SessionEvent => ({
  type: 'block:upsert',
  block: { id: content, type: 'user_message', status: 'complete', content, timestamp },
})

/** Reads a hub's list, one summary after the other. */
function listOf(hub: ReturnType<typeof createSessionHub>) {
  const ended = new AbortController()
  const list = hub.sessions({ signal: ended.signal })[Symbol.asyncIterator]()
  onTestFinished(() => ended.abort())
  return {
    next: async (): Promise<HubSessionSummary> => (await list.next()).value,
    end: () => ended.abort(),
    list,
  }
}

async function threeSessions(options: HubOptions = {}) {
  const hub = createSessionHub(options)
  await hub.publish('a', [prompt('first', '2026-01-01T00:00:00Z')])
  await hub.publish('b', [prompt('second', '2026-01-03T00:00:00Z')])
  await hub.publish('c', [prompt('third', '2026-01-02T00:00:00Z')])
  return hub
}

describe('hub.sessions', () => {
  it('has all sessions, the newest first, and then each change', async () => {
    const hub = await threeSessions()
    const { next } = listOf(hub)
    expect([(await next()).id, (await next()).id, (await next()).id]).toEqual(['b', 'c', 'a'])
    await hub.publish('c', [
      { type: 'session:running' },
      {
        type: 'block:upsert',
        block: {
          id: 'r',
          type: 'request',
          status: 'pending',
          kind: 'permission',
          title: 'Bash: ls',
          data: { big: 1 },
        },
      },
    ])
    const changed = await next()
    expect(changed).toMatchObject({ id: 'c', status: 'waiting', title: 'third', agents: 0 })
    expect(changed.request).toMatchObject({ conversationId: 'main', block: { title: 'Bash: ls' } })
    expect(changed.request?.block).not.toHaveProperty('data')
  })

  it('starts with the turn, if the first block that has a time is later', async () => {
    const hub = createSessionHub()
    await hub.publish('a', [
      { type: 'session:running', timestamp: '2026-01-01T10:00:00Z' },
      { type: 'block:upsert', block: { id: 'p', type: 'user_message', status: 'complete', content: 'Hi.' } },
      { type: 'subagent:spawned', timestamp: '2026-01-01T11:00:00Z', toolUseId: 'c', prompt: '' },
    ])
    expect((await listOf(hub).next()).startedAt).toBe('2026-01-01T10:00:00Z')
  })

  it('joins changes that follow each other quickly, and shows the last one', async () => {
    const hub = await threeSessions()
    const { next } = listOf(hub)
    for (let count = 0; count < 3; count += 1) await next()
    for (const content of ['1', '12', '123', '1234'])
      await hub.publish('a', [
        { type: 'block:upsert', block: { id: 't', type: 'assistant_text', status: 'complete', content } },
      ])
    const texts: unknown[] = []
    while (texts.at(-1) !== '1234') texts.push((await next()).lastText)
    expect(texts.length).toBeLessThan(3)
  })

  it('shows sessions that other processes begin and write, and that are deleted', async () => {
    const log = createMemoryLog()
    const hub = await threeSessions({ log })
    const { next } = listOf(hub)
    for (let count = 0; count < 3; count += 1) await next()
    const other = createSessionHub({ log })
    await other.publish('a', [{ type: 'session:idle', outcome: 'finished' }])
    expect(await next()).toMatchObject({ id: 'a', status: 'finished' })
    await other.publish('d', [prompt('fourth', '2026-01-04T00:00:00Z')])
    expect(await next()).toMatchObject({ id: 'd', title: 'fourth' })
    await other.delete('b')
    expect(await next()).toMatchObject({ id: 'b', isDeleted: true })
  }, 10_000)

  it('ends with its signal', async () => {
    const hub = await threeSessions()
    const { next, end, list } = listOf(hub)
    await next()
    await next()
    await next()
    const last = list.next()
    end()
    expect((await last).done).toBe(true)
  })
})

/** Reads messages of a stream as text. */
async function streamOf(hub: ReturnType<typeof createSessionHub>, query: string) {
  const response = await hub.fetch(new Request(`http://hub.example/x/events?${query}`))
  const reader = response.body?.getReader()
  onTestFinished(async () => reader?.cancel())
  let rest = ''
  const next = async (): Promise<{
    event: string
    id: string
    data: { readonly [key: string]: unknown }
  }> => {
    while (!rest.includes('\n\n')) rest += new TextDecoder().decode((await reader?.read())?.value)
    const [text = '', ...others] = rest.split('\n\n')
    rest = others.join('\n\n')
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
    return { event: field('event'), id: field('id'), data: JSON.parse(field('data') || '{}') }
  }
  return { status: response.status, next }
}

describe('a stream of several sessions', () => {
  it('says whose each message is, and has the list', async () => {
    const hub = await threeSessions()
    const { next } = await streamOf(hub, 'session=a&session=b&list=1')
    const first = [await next(), await next(), await next()]
    expect(first.map(({ event, data }) => [event, data.session]).sort()).toEqual(
      [
        ['sessions', undefined],
        ['snapshot', 'a'],
        ['snapshot', 'b'],
      ].sort(),
    )
    await hub.publish('b', [{ type: 'session:idle', outcome: 'finished' }])
    const then = [await next(), await next()]
    expect(then.find(({ event }) => event === '')?.data).toMatchObject({
      session: 'b',
      seq: 2,
      event: { type: 'session:idle' },
    })
    expect(then.find(({ event }) => event === 'session')?.data).toMatchObject({ id: 'b', status: 'finished' })
  })

  it('resumes each session by its own place', async () => {
    const hub = await threeSessions()
    const before = await streamOf(hub, 'session=a&session=b')
    const ids = [await before.next(), await before.next()].map(({ id }) => encodeURIComponent(id))
    await hub.publish('a', [{ type: 'session:running' }])
    await hub.publish('b', [{ type: 'session:running' }])
    const { next } = await streamOf(
      hub,
      `session=a&session=b&session=c&${ids.map((id) => `after=${id}`).join('&')}`,
    )
    const messages = [await next(), await next(), await next(), await next(), await next()]
    expect(messages.map(({ event, data }) => [data.session, event]).sort()).toEqual([
      ['a', ''],
      ['a', 'live'],
      ['b', ''],
      ['b', 'live'],
      ['c', 'snapshot'],
    ])
  })

  it('leaves out what its reader may not see', async () => {
    const hub = await threeSessions({
      authorize: (_, id, action) => (action === 'list' ? id !== 'c' : id !== 'b'),
      exists: (id) => id !== 'x',
    })
    const { next } = await streamOf(hub, 'session=a&session=b&session=x&list=1')
    const messages = [await next(), await next(), await next(), await next()]
    const of = (event: string) => messages.filter((each) => each.event === event).map(({ data }) => data)
    expect(of('refused')).toEqual(
      expect.arrayContaining([
        { session: 'b', status: 403, message: 'You have no leave for this session.' },
        { session: 'x', status: 404, code: 'no-such-session', message: 'There is no such session.' },
      ]),
    )
    expect(of('sessions')).toEqual([
      [expect.objectContaining({ id: 'b' }), expect.objectContaining({ id: 'a' })],
    ])
    expect((await streamOf(hub, 'session=b')).status).toBe(403)
    expect((await streamOf(hub, 'session=x')).status).toBe(404)
  })

  it('ends a deleted session, and goes on with the others', async () => {
    const hub = await threeSessions()
    const { next } = await streamOf(hub, 'session=a&session=b')
    await next()
    await next()
    await hub.delete('a')
    expect(await next()).toMatchObject({ event: 'end', data: { session: 'a' } })
    await hub.publish('b', [{ type: 'session:running' }])
    expect(await next()).toMatchObject({ data: { session: 'b', seq: 2 } })
  })
})

import { request } from 'node:http'
import { createInitialConversationState, reduceSessionEvents } from 'agentfold'
import { restore, type StampedEvent } from 'agentfold/sync'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mixed } from '../../test/bench/workloads.ts'
import { type RunningApp, startApp } from './server.ts'

const EVENTS = mixed(40)

describe('the server', () => {
  let app: RunningApp
  beforeEach(async () => {
    app = await startApp({ events: EVENTS })
    await app.ended
  })
  afterEach(() => app.close())

  const place = (seq: number): string => `${app.epoch}:${seq}`

  /** Returns the numbers of the first events that the server sends. */
  async function firstSent(count: number, { after, lastEventId }: Asked = {}): Promise<readonly number[]> {
    const url = new URL(after === undefined ? 'events' : `events?after=${encodeURIComponent(after)}`, app.url)
    const response = await fetch(
      url,
      lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } },
    )
    return (await firstEvents(response, count)).map(({ seq }) => seq)
  }

  it('sends all events to a reader without a place', async () => {
    const response = await fetch(new URL('events', app.url))
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const sent = await firstEvents(response, EVENTS.length)
    expect(sent).toEqual(EVENTS.map((event, at) => ({ epoch: app.epoch, seq: at + 1, event })))
  })

  it('sends the events after the place in the address', async () => {
    expect(await firstSent(3, { after: place(20) })).toEqual([21, 22, 23])
  })

  it('prefers the place in Last-Event-ID to the address', async () => {
    expect(await firstSent(3, { after: place(20), lastEventId: place(30) })).toEqual([31, 32, 33])
    expect(await firstSent(3, { after: place(30), lastEventId: place(20) })).toEqual([21, 22, 23])
  })

  it('sends a new event to a reader that has all', async () => {
    const response = await fetch(new URL(`events?after=${place(EVENTS.length)}`, app.url))
    app.append({ type: 'session:idle' })
    const [sent] = await firstEvents(response, 1)
    expect(sent).toEqual({ epoch: app.epoch, seq: EVENTS.length + 1, event: { type: 'session:idle' } })
  })

  it.each([
    ['another log', { after: 'another:20' }],
    ['another log since the page was opened', { lastEventId: 'another:20' }],
    ['an invalid place', { after: 'twenty' }],
  ])('sends all events to a reader with %s', async (_, asked) => {
    expect(await firstSent(3, asked)).toEqual([1, 2, 3])
  })

  it('gives a snapshot of the log up to its place', async () => {
    const placed = restore(await (await fetch(new URL('snapshot', app.url))).json())
    const { epoch, seq, state } = placed
    expect({ epoch, seq }).toEqual({ epoch: app.epoch, seq: app.stamped.length })
    expect(state).toEqual(reduceSessionEvents(createInitialConversationState(), EVENTS))
  })

  it('gives its own state from a snapshot and the events after it', async () => {
    const { seq, state } = restore(await (await fetch(new URL('snapshot', app.url))).json())
    const more = mixed(60, 2)
    for (const event of more) app.append(event)
    const response = await fetch(new URL('events', app.url), { headers: { 'last-event-id': place(seq) } })
    const events = (await firstEvents(response, more.length)).map(({ event }) => event)
    expect(reduceSessionEvents(state, events)).toEqual(app.snapshot().state)
  })

  it.each([
    ['GET', '/', 200],
    ['GET', '/page.js', 200],
    ['GET', '/nothing', 404],
    ['GET', '/../server.ts', 404],
    ['POST', '/nothing', 404],
    ['POST', '/', 405],
    ['POST', '/events', 405],
    ['DELETE', '/snapshot', 405],
  ])('answers %s %s with %i', async (method, path, status) => {
    expect(await statusOf(app, { method, path })).toBe(status)
  })

  it('names the allowed method', async () => {
    const response = await fetch(new URL('snapshot', app.url), { method: 'POST' })
    expect(response.headers.get('allow')).toBe('GET')
  })

  it.each(['/', '/events', '/snapshot', '/nothing'])('refuses %s for another host name', async (path) => {
    const { port } = new URL(app.url)
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      `127.0.0.1.evil.example:${port}`,
    ]
    for (const host of hosts) expect(await statusOf(app, { path, host })).toBe(403)
  })

  it('answers for each local host name', async () => {
    const { port } = new URL(app.url)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost'])
      expect(await statusOf(app, { path: '/snapshot', host })).toBe(200)
  })
})

interface Asked {
  readonly after?: string
  readonly lastEventId?: string
}

/** Reads that many events and closes the connection. */
async function firstEvents({ body }: Response, count: number): Promise<readonly StampedEvent[]> {
  const decoder = new TextDecoder()
  let events: readonly StampedEvent[] = []
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    events = eventsIn(text)
    if (events.length >= count) break
  }
  return events.slice(0, count)
}

/** Ignores the last part, which is incomplete or empty. */
function eventsIn(text: string): readonly StampedEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((message) => !message.startsWith('event: log'))
    .flatMap((message) => /^data: (.*)$/m.exec(message)?.[1] ?? [])
    .map((data) => JSON.parse(data))
}

interface Request {
  readonly path: string
  readonly method?: string
  readonly host?: string
}

/** Uses Node's own client, because `fetch` cannot set the host header and normalizes paths. */
function statusOf({ url }: RunningApp, { path, method = 'GET', host }: Request): Promise<number | undefined> {
  const { hostname, port, host: own } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { host: host ?? own } }, (response) => {
      response.destroy()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end()
  })
}

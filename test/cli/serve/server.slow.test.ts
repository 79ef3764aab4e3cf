import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServedLog } from '../../../src/cli/serve/served-log.ts'
import { type RunningServer, startServer, type Transport } from '../../../src/cli/serve/server.ts'
import { createInitialConversationState, reduceSessionEvents } from '../../../src/index.ts'
import { restore, type StampedEvent } from '../../../src/sync/index.ts'
import { mixed } from '../../bench/workloads.ts'

const EVENTS = mixed(40)
const PAGE = '<!doctype html><meta http-equiv="content-security-policy" content="default-src \'none\'">'

describe('the server', () => {
  let app: RunningServer
  beforeEach(async () => {
    app = await startServer({ page: PAGE })
    for (const event of EVENTS) app.append(event)
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
    ['GET', '', 200],
    ['GET', 'nothing', 404],
    ['GET', '../server.ts', 404],
    ['POST', 'nothing', 404],
    ['POST', '', 405],
    ['POST', 'events', 405],
    ['DELETE', 'snapshot', 405],
  ])('answers %s %s with %i', async (method, name, status) => {
    expect(await statusOf(app, { method, path: new URL(app.url).pathname + name })).toBe(status)
  })

  it('names the allowed method', async () => {
    const response = await fetch(new URL('snapshot', app.url), { method: 'POST' })
    expect(response.headers.get('allow')).toBe('GET')
  })

  it('sends the page with its own policy, and refuses frames', async () => {
    const { headers } = await fetch(app.url)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  it.each(['', 'events', 'snapshot', 'nothing'])('refuses %s for another host name', async (name) => {
    const { port, pathname } = new URL(app.url)
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      `127.0.0.1.evil.example:${port}`,
    ]
    for (const host of hosts)
      expect(await statusOf(app, { path: pathname + name, headers: { host } })).toBe(403)
  })

  it('answers for each local host name', async () => {
    const { port, pathname } = new URL(app.url)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'localhost'])
      expect(await statusOf(app, { path: `${pathname}snapshot`, headers: { host } })).toBe(200)
  })

  it.each(['http://evil.example', 'null', 'http://127.0.0.1:1', 'https://127.0.0.1'])(
    'refuses the origin %s',
    async (origin) => {
      const { host, pathname } = new URL(app.url)
      expect(await statusOf(app, { path: `${pathname}events`, headers: { host, origin } })).toBe(403)
    },
  )

  it('answers its own origin, and a link from another site', async () => {
    const { host, pathname: path, origin } = new URL(app.url)
    expect(await statusOf(app, { path: `${path}snapshot`, headers: { host, origin } })).toBe(200)
    const link = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect(await statusOf(app, { path, headers: link })).toBe(200)
  })

  it.each([
    ['a script', 'cross-site', 'no-cors', 'script'],
    ['a script of another port', 'same-site', 'no-cors', 'script'],
    ['a frame', 'cross-site', 'navigate', 'iframe'],
    ['a frame of another port', 'same-site', 'navigate', 'iframe'],
  ])('refuses %s', async (_, site, mode, target) => {
    const { host, pathname: path } = new URL(app.url)
    const headers = { host, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': target }
    expect(await statusOf(app, { path, headers })).toBe(403)
  })

  it('refuses a request with two hosts', async () => {
    const { host, pathname: path } = new URL(app.url)
    for (const [first, second] of [
      [host, 'evil.example'],
      ['evil.example', host],
    ] as const)
      expect(await statusOf(app, { path, headers: ['host', first, 'host', second] })).toBe(403)
  })

  it.each(['/', '/events', '/wrong/snapshot', '/wrong/'])('refuses %s without the token', async (path) => {
    const response = await fetch(new URL(path, app.url))
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('Open the whole address')
  })

  it('explains an address without its last slash', async () => {
    const response = await fetch(app.url.slice(0, -1))
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Open the whole address')
  })

  it.each(['', 'events', 'snapshot', 'nothing'])('keeps other sites from loading %j', async (name) => {
    const { headers, body } = await fetch(new URL(name, app.url))
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    await body?.cancel()
  })

  it('sends heartbeats, but none to a reader that does not read', async () => {
    const server = await startServer({ page: PAGE, heartbeatMs: 1 })
    const { body } = await fetch(new URL('events', server.url))
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes(': heartbeat\n\n')) text += (await reader?.read())?.value ?? ''
    const block = {
      id: 'b',
      type: 'assistant_text',
      status: 'complete',
      content: 'x'.repeat(5_000_000),
    } as const
    for (let at = 0; at < 4; at += 1)
      server.append({ type: 'block:upsert', block: { ...block, id: `b${at}` } })
    while (!text.includes('"seq":4,')) text += (await reader?.read())?.value ?? ''
    expect(text.match(/"seq":\d/g)).toEqual(['"seq":1', '"seq":2', '"seq":3', '"seq":4'])
    await reader?.cancel()
    await server.close()
  })

  it('sends nothing after a cut', async () => {
    const cutting = {
      page: PAGE,
      transport: (...[stamped, write, cut]: Parameters<Transport>) => {
        cut()
        write(stamped)
      },
    }
    const server = await startServer(cutting)
    server.append({ type: 'session:idle' })
    const response = await fetch(new URL('events', server.url))
    expect(await response.text().catch(() => '')).not.toContain('data: {')
    await server.close()
  })

  it('starts another log with another state, and says so to its readers', async () => {
    const log = new ServedLog()
    const server = await startServer({ page: PAGE, log })
    server.append({ type: 'session:running' })
    const { epoch } = server
    const response = await fetch(new URL('events', server.url))
    log.replaceState(createInitialConversationState())
    log.append([{ type: 'session:idle' }])
    const events = await firstEvents(response, 2)
    expect(events.map(({ event }) => event.type)).toEqual(['session:running', 'session:idle'])
    expect(events.map((event) => event.epoch)).toEqual([epoch, log.epoch])
    expect(log.epoch).not.toBe(epoch)
    await server.close()
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
  const reader = body?.getReader()
  while (events.length < count) {
    const { value, done = true } = (await reader?.read()) ?? {}
    if (done) break
    text += decoder.decode(value, { stream: true })
    events = eventsIn(text)
  }
  await reader?.cancel()
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
  readonly headers?: Readonly<Record<string, string>> | string[]
}

/** Uses Node's own client, because `fetch` cannot set the host header and normalizes paths. */
function statusOf(
  { url }: RunningServer,
  { path, method = 'GET', headers }: Request,
): Promise<number | undefined> {
  const { hostname, port, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: headers ?? { host } }, (response) => {
      response.destroy()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end()
  })
}

import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  onlySession,
  type RunningServer,
  SESSION_ID,
  startServer,
} from '../../../src/cli/serve/serve-session.ts'
import { createSessionHub, type SessionHub } from '../../../src/entries/hub.ts'
import { createInitialConversationState, reduceSessionEvents } from '../../../src/entries/index.ts'
import { connectSession } from '../../../src/entries/sync.ts'
import { mixed } from '../../bench/workloads.ts'

const EVENTS = mixed(40)
const PAGE = '<!doctype html><meta http-equiv="content-security-policy" content="default-src \'none\'">'
const STREAM = `events/${SESSION_ID}`

const initial = createInitialConversationState()

describe('the server', () => {
  let hub: SessionHub
  let app: RunningServer
  beforeEach(async () => {
    hub = createSessionHub()
    app = await startServer({ page: PAGE, content: onlySession(hub) })
    await hub.publish(SESSION_ID, EVENTS)
  })
  afterEach(() => app.close())

  it('sends a snapshot, and then the new events', async () => {
    const response = await fetch(new URL(STREAM, app.url))
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const more = mixed(60, 2)
    await hub.publish(SESSION_ID, more)
    const messages = await firstMessages(response, more.length + 1)
    expect(messages[0]).toMatch(new RegExp(`^event: snapshot\nid: ${EVENTS.length}:`))
    expect(messages.slice(1).map((text) => JSON.parse(text.split('data: ')[1] ?? '').event)).toEqual(more)
  })

  it('sends the events after the place of a reader that comes again', async () => {
    const [first = ''] = await firstMessages(await fetch(new URL(STREAM, app.url)), 1)
    const id = /^id: (.*)$/m.exec(first)?.[1] ?? ''
    await hub.publish(SESSION_ID, [{ type: 'session:idle' }])
    for (const response of [
      await fetch(new URL(`${STREAM}?after=${encodeURIComponent(id)}`, app.url)),
      await fetch(new URL(STREAM, app.url), { headers: { 'last-event-id': id } }),
    ])
      expect(await firstMessages(response, 1)).toEqual([expect.stringContaining('"type":"session:idle"')])
  })

  it('gives a page the state of the hub, also after a restart', async () => {
    const connection = connectSession(new URL(STREAM, app.url).href)
    const expected = reduceSessionEvents(initial, EVENTS)
    await expect.poll(() => connection.store.flush()).toEqual(expected)
    await app.close()
    const { port, pathname } = new URL(app.url)
    const again = { ports: [Number(port)], token: pathname.slice(1, -1) }
    app = await startServer({ page: PAGE, content: onlySession(createSessionHub()), ...again })
    await expect.poll(() => connection.store.flush()).toEqual(initial)
    connection.close()
  })

  it.each([
    ['GET', '', 200],
    ['GET', 'nothing', 404],
    ['GET', '../server.ts', 404],
    ['GET', 'events', 404],
    ['GET', 'events/other', 404],
    ['GET', 'events/session/more', 404],
    ['POST', 'nothing', 405],
    ['POST', '', 405],
    ['POST', 'events/session', 405],
    ['DELETE', 'events/session', 405],
  ])('answers %s %s with %i', async (method, name, status) => {
    expect(await statusOf(app, { method, path: new URL(app.url).pathname + name })).toBe(status)
  })

  it('names the allowed method', async () => {
    const response = await fetch(new URL(STREAM, app.url), { method: 'POST' })
    expect(response.headers.get('allow')).toBe('GET')
  })

  it('sends the page with its own policy, and refuses frames', async () => {
    const { headers } = await fetch(app.url)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  })

  it.each(['', 'events/session', 'nothing'])('refuses %s for another host name', async (name) => {
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
      expect(await statusOf(app, { path: `${pathname}${STREAM}`, headers: { host } })).toBe(200)
  })

  it.each(['http://evil.example', 'null', 'http://127.0.0.1:1', 'https://127.0.0.1'])(
    'refuses the origin %s',
    async (origin) => {
      const { host, pathname } = new URL(app.url)
      expect(await statusOf(app, { path: `${pathname}${STREAM}`, headers: { host, origin } })).toBe(403)
    },
  )

  it('answers its own origin, and a link from another site', async () => {
    const { host, pathname: path, origin } = new URL(app.url)
    expect(await statusOf(app, { path: `${path}${STREAM}`, headers: { host, origin } })).toBe(200)
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

  it.each(['/', '/events/session', '/wrong/events/session', '/wrong/'])(
    'refuses %s without the token',
    async (path) => {
      const response = await fetch(new URL(path, app.url))
      expect(response.status).toBe(403)
      expect(await response.text()).toContain('Open the whole address')
    },
  )

  it('explains an address without its last slash', async () => {
    const response = await fetch(app.url.slice(0, -1))
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Open the whole address')
  })

  it.each(['', 'events/session', 'nothing'])('keeps other sites from loading %j', async (name) => {
    const { headers, body } = await fetch(new URL(name, app.url))
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    await body?.cancel()
  })

  it('sends heartbeats, and each large event once', async () => {
    const beating = createSessionHub({ heartbeatMs: 1 })
    const server = await startServer({ page: PAGE, content: onlySession(beating) })
    const { body } = await fetch(new URL(STREAM, server.url))
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('\n\n:\n\n')) text += (await reader?.read())?.value ?? ''
    const block = {
      id: 'b',
      type: 'assistant_text',
      status: 'complete',
      content: 'x'.repeat(1_000_000),
    } as const
    for (let at = 0; at < 4; at += 1)
      await beating.publish(SESSION_ID, [{ type: 'block:upsert', block: { ...block, id: `b${at}` } }])
    while (!text.includes('"seq":4,')) text += (await reader?.read())?.value ?? ''
    expect(text.match(/"seq":[1-9]\d*/g)?.at(-1)).toEqual('"seq":4')
    expect(new Set(text.match(/"seq":[1-9]\d*,"event/g)).size).toBe(
      text.match(/"seq":[1-9]\d*,"event/g)?.length,
    )
    await reader?.cancel()
    await server.close()
  })
})

/** Reads that many messages and closes the connection. */
async function firstMessages({ body }: Response, count: number): Promise<readonly string[]> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = body?.getReader()
  // The last part is incomplete or empty.
  while (text.split('\n\n').length <= count) {
    const { value, done = true } = (await reader?.read()) ?? {}
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  await reader?.cancel()
  return text.split('\n\n').slice(0, count)
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

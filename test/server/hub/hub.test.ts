import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub, type SessionHub } from '../../../src/entries/hub.ts'
import {
  createInitialConversationState,
  parseTranscript,
  reduceSessionEvents,
  type SessionEvent,
  sessionStatus,
} from '../../../src/entries/index.ts'
import { createMemoryLog } from '../../../src/entries/log.ts'
import { connectSession, restore } from '../../../src/entries/sync.ts'
import { Page } from './wire.ts'

const RECORDING = readFileSync('fixtures/claude-code/03-tools/stream.ndjson', 'utf8')
const initial = createInitialConversationState()

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const wait = (ms = 10_000) => vi.advanceTimersByTimeAsync(ms)

function text(at: number, content = 'x'): SessionEvent {
  return {
    type: 'block:upsert',
    block: { id: `b${at}`, type: 'assistant_text', status: 'complete', content },
  }
}

const texts = (count: number, from = 0): readonly SessionEvent[] =>
  Array.from({ length: count }, (_, at) => text(from + at))

const stateOf = (...events: readonly SessionEvent[]) => reduceSessionEvents(initial, events)

const get = (hub: SessionHub, path: string, init: RequestInit = {}) =>
  hub.fetch(new Request(`http://hub.example/${path}`, init))

/** Reads that many messages of a stream, and closes it. */
async function messages({ body }: Response, count: number): Promise<readonly string[]> {
  const reader = body?.getReader()
  const found: string[] = []
  while (found.length < count) {
    const piece = new TextDecoder().decode((await reader?.read())?.value)
    found.push(...piece.split(/(?<=\n\n)/))
  }
  await reader?.cancel()
  return found.slice(0, count)
}

const idIn = (message: string | undefined) => /^id: (.*)$/m.exec(message ?? '')?.[1] ?? ''

describe('a hub', () => {
  it('writes the JSON of an event once for all its readers', async () => {
    const hub = createSessionHub()
    await hub.publish('s', [text(0)])
    const readers = Array.from({ length: 20 }, async () => messages(await get(hub, 's'), 2))
    await wait(0)
    const written = vi.spyOn(JSON, 'stringify')
    onTestFinished(() => written.mockRestore())
    await hub.publish('s', [text(1)])
    const all = await Promise.all(readers)
    expect(all.map((found) => found[1]?.includes('"id":"b1"'))).toEqual(all.map(() => true))
    // The event alone, or with its number. The log copies the list of a call.
    const events = written.mock.calls.filter(
      ([value]) => (Object(value).event ?? Object(value)).block?.id === 'b1',
    )
    expect(events).toHaveLength(1)
  })

  it('sends a snapshot, and then each event', async () => {
    const hub = createSessionHub()
    expect(await hub.publish('s', [text(1), text(2)])).toBe(2)
    const response = await get(hub, 's')
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = response.body?.getReader()
    const read = async () => new TextDecoder().decode((await reader?.read())?.value)
    const first = await read()
    await hub.publish('s', [text(3)])
    const second = await read()
    await reader?.cancel()
    expect(first).toMatch(/^event: snapshot\nid: 2:/)
    expect(restore(JSON.parse(/^data: (.*)$/m.exec(first)?.[1] ?? '')).state).toEqual(
      stateOf(text(1), text(2)),
    )
    expect(second).toMatch(/^id: 3:.*\ndata: .*"seq":3/)
  })

  it('sends a reader that names its last event the later ones alone, by header or by address', async () => {
    const hub = createSessionHub()
    await hub.publish('s', texts(5))
    const [first] = await messages(await get(hub, 's'), 1)
    await hub.publish('s', texts(2, 5))
    const id = idIn(first)
    for (const response of [
      await get(hub, `s?after=${encodeURIComponent(id)}`),
      await get(hub, 's', { headers: { 'last-event-id': id } }),
    ])
      expect((await messages(response, 2)).map(idIn)).toEqual([6, 7].map((seq) => id.replace(/^5/, `${seq}`)))
  })

  it.each([
    ['another log', '3::another'],
    ['a number that the log does not have', undefined],
    ['no place at all', 'abc'],
    ['an escape that means nothing', '3::%'],
  ])('sends a snapshot to a reader with %s', async (_, after) => {
    const hub = createSessionHub()
    await hub.publish('s', texts(5))
    const [own] = await messages(await get(hub, 's'), 1)
    const place = after ?? idIn(own).replace(/^5/, '9')
    const [first] = await messages(await get(hub, `s?after=${encodeURIComponent(place)}`), 1)
    expect(first).toMatch(/^event: snapshot\nid: 5:/)
  })

  it.each([
    ['GET', '', 404],
    ['GET', 'sessions/', 404],
    ['GET', '%', 404],
    ['POST', 's', 405],
    ['GET', 'secret', 403],
  ])('answers %s /%s with %i', async (method, path, status) => {
    const hub = createSessionHub({ authorize: async (_, sessionId) => sessionId !== 'secret' })
    expect((await get(hub, path, { method })).status).toBe(status)
  })

  it('asks with the request and the id of the session', async () => {
    const hub = createSessionHub({
      authorize: ({ headers }, sessionId) => headers.get('authorization') === `of ${sessionId}`,
    })
    const allowed = await get(hub, 'any/where/a%2Fb', { headers: { authorization: 'of a/b' } })
    expect(allowed.status).toBe(200)
    await allowed.body?.cancel()
  })

  it('rejects if the log fails', async () => {
    const log = createMemoryLog()
    const hub = createSessionHub({ log })
    await hub.publish('s', [text(1)])
    await log.close()
    await expect(get(hub, 's')).rejects.toMatchObject({ code: 'closed' })
    await expect(hub.publish('s', [text(2)])).rejects.toMatchObject({ code: 'closed' })
  })

  it('refuses events after those of another writer, and goes on with the next ones', async () => {
    const log = createMemoryLog()
    const hub = createSessionHub({ log })
    await hub.publish('s', [text(1)])
    await log.append('s', [text(2)], { expectedSeq: 1 })
    await expect(hub.publish('s', [text(3)])).rejects.toMatchObject({ code: 'wrong-seq' })
    expect(await hub.publish('s', [text(4)])).toBe(3)
  })

  it('publishes the output of a program, and interrupts what still runs at its end', async () => {
    const hub = createSessionHub()
    const page = new Page(() => hub)
    const half = RECORDING.length / 2
    const pieces = async function* () {
      yield RECORDING.slice(0, half)
    }
    expect((await hub.pipe('s', pieces(), 'claude-sdk')).ending).toBe('interrupted')
    await wait()
    expect(sessionStatus(page.state)).toBe('interrupted')
    const rest = new Response(RECORDING.slice(half)).body
    if (!rest) throw new TypeError('a response with a text has a body')
    // The line that was cut is lost: it was no line.
    const { ending, issues } = await hub.pipe('s', rest)
    expect(ending).toBe('finished')
    expect(issues).toMatchObject([{ code: 'malformed-line' }])
    await wait()
    expect(sessionStatus(page.state)).toBe('finished')
    page.connection.close()
  })

  it('detects the program, and gives the state of its whole output', async () => {
    const hub = createSessionHub()
    const page = new Page(() => hub)
    await hub.pipe('s', [RECORDING])
    await wait()
    expect(page.state).toEqual(parseTranscript(RECORDING))
    page.connection.close()
  })

  // A server that lost its stream of events crashed, because nobody awaited the pipe.
  it('says why an output broke, as of a program that failed, and goes on with the next one', async () => {
    const hub = createSessionHub()
    const lines = RECORDING.split(/(?<=\n)/)
    const half = lines.slice(0, lines.length / 2)
    const failing = async function* () {
      yield* half
      // As `fetch` throws it.
      throw new TypeError('terminated', { cause: new Error('other side closed') })
    }
    const failure = 'the output broke off: terminated: other side closed'
    expect(await hub.pipe('s', failing())).toMatchObject({ ending: 'interrupted', failure })
    expect((await hub.state('s'))?.turn).toMatchObject({ status: 'failed', error: failure })
    expect(await hub.pipe('s', lines.slice(lines.length / 2))).toMatchObject({ ending: 'finished' })
    expect((await hub.state('s'))?.blocks).toEqual(parseTranscript(RECORDING).blocks)
  })

  it.each(['text', undefined, {}])('refuses %j as an output', async (output) => {
    await expect(Reflect.apply(createSessionHub().pipe, undefined, ['s', output])).rejects.toThrow(
      /^readable: /,
    )
  })

  it('leaves a session alone that somebody else writes in the meantime', async () => {
    const log = createMemoryLog()
    const [hub, other] = [createSessionHub({ log }), createSessionHub({ log })]
    const running: SessionEvent = { type: 'session:running' }
    const output = async function* () {
      yield RECORDING.slice(0, RECORDING.length / 2)
      await other.publish('s', [running])
      yield RECORDING.slice(RECORDING.length / 2)
    }
    await expect(hub.pipe('s', output())).rejects.toMatchObject({ code: 'wrong-seq' })
    const [first] = await messages(await get(other, 's'), 1)
    expect(first).toContain('"status":"running"')
  })

  it('keeps the later events alone, and gives a slow page a new snapshot', async () => {
    const hub = createSessionHub()
    const page = new Page(() => hub)
    await wait()
    page.slowDown()
    await hub.publish('s', [text(0)])
    await wait()
    for (let at = 1; at < 10_000; at += 100) await hub.publish('s', texts(100, at))
    page.speedUp()
    await wait()
    expect(page.state.blocks).toHaveLength(10_001)
    expect(page.counts).toEqual({ requests: 1, snapshots: 3 })
    page.connection.close()
  })

  it('changes nothing more after `close`, also if the rest of the events has come', async () => {
    const hub = createSessionHub()
    await hub.publish('s', [text(0)])
    const messagesOf = messages(await get(hub, 's'), 2)
    await wait(0)
    await hub.publish('s', [text(1)])
    const come = (await messagesOf).join('')
    const connection = connectSession('http://hub.example/s', {
      fetch: async () => new Response(come, { headers: { 'content-type': 'text/event-stream' } }),
    })
    connection.store.subscribe(() => connection.close())
    await wait()
    expect(connection.store.flush()).toEqual(stateOf(text(0)))
  })

  it('sends a comment when nothing happens, but only to a reader that reads', async () => {
    const hub = createSessionHub({ heartbeatMs: 100 })
    const reader = (await get(hub, 's')).body?.getReader()
    const read = async () => new TextDecoder().decode((await reader?.read())?.value)
    expect(await read()).toMatch(/^event: snapshot/)
    await wait(1000)
    const next = read()
    await wait(100)
    expect(await next).toBe(':\n\n')
    await hub.publish('s', [text(1)])
    expect(await read()).toMatch(/^event: snapshot\nid: 1:/)
    await reader?.cancel()
  })
})

describe('a connection', () => {
  it('notices a restarted server without an event', async () => {
    let hub = createSessionHub()
    await hub.publish('s', [{ type: 'session:running' }])
    const page = new Page(() => hub)
    await wait()
    expect(sessionStatus(page.state)).toBe('running')
    hub = createSessionHub()
    page.cut()
    await wait(0)
    expect(page.connection.status).toBe('lost')
    await wait()
    expect(sessionStatus(page.state)).toBe('idle')
    expect(page.connection.status).toBe('live')
    page.connection.close()
  })

  it('goes on after a restart of a server with a log, without a snapshot', async () => {
    const log = createMemoryLog()
    let hub = createSessionHub({ log })
    await hub.publish('s', texts(5))
    const page = new Page(() => hub)
    await wait()
    hub = createSessionHub({ log })
    page.cut()
    await hub.publish('s', texts(5, 5))
    await wait()
    expect(page.state).toEqual(stateOf(...texts(10)))
    expect(page.counts).toEqual({ requests: 2, snapshots: 1 })
    page.connection.close()
  })

  it('shows the new state of a session that starts over', async () => {
    const hub = createSessionHub()
    const page = new Page(() => hub)
    await hub.publish('s', { startsOver: true, events: texts(5) })
    await wait()
    await hub.publish('s', { startsOver: false, events: texts(1, 5) })
    await wait()
    expect(page.state).toEqual(stateOf(...texts(6)))
    await hub.publish('s', { startsOver: true, events: texts(20, 50) })
    await wait()
    expect(page.state).toEqual(stateOf(...texts(20, 50)))
    page.connection.close()
  })

  it('ends with a deleted session, and keeps what it has', async () => {
    const hub = createSessionHub()
    const page = new Page(() => hub)
    await hub.publish('s', texts(5))
    await wait()
    await hub.delete('s')
    await wait()
    expect(page.connection.status).toBe('ended')
    expect(page.state).toEqual(stateOf(...texts(5)))
    expect(page.counts.requests).toBe(1)
  })

  it('says each new status to its listeners', async () => {
    const hub = createSessionHub()
    const page = new Page(() => hub)
    const seen: string[] = []
    const stop = page.connection.subscribe(() => seen.push(page.connection.status))
    await wait()
    page.cut()
    await wait()
    page.connection.close()
    expect(seen).toEqual(['live', 'lost', 'live', 'ended'])
    stop()
  })

  // The first break was the last one: nothing connected again.
  it('goes on if a listener of the status throws, and passes the error on', async () => {
    const later: (() => void)[] = []
    const queued = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((work) => later.push(work))
    onTestFinished(() => queued.mockRestore())
    const hub = createSessionHub()
    const page = new Page(() => hub)
    page.connection.subscribe(() => {
      throw new RangeError('a listener')
    })
    await wait()
    page.cut()
    await wait()
    expect(page.connection.status).toBe('live')
    expect([page.counts.requests, page.errors.map(String)]).toEqual([2, ['TypeError: cut']])
    expect(later).toHaveLength(3)
    for (const work of later) expect(work).toThrow('a listener')
    page.connection.close()
  })

  it.each([401, 403, 404, 410])('does not try again after the status %i', async (status) => {
    let requests = 0
    const connection = connectSession('/s', {
      fetch: async () => {
        requests += 1
        return new Response(null, { status })
      },
    })
    await wait()
    expect([connection.status, requests]).toEqual(['refused', 1])
  })

  it('refuses a page in place of a stream, and a snapshot of another version', async () => {
    const answers = [
      new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      new Response('event: snapshot\ndata: {"version":99}\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      }),
    ]
    for (const answer of answers) {
      const errors: unknown[] = []
      const connection = connectSession('/s', {
        fetch: async () => answer,
        onError: (error) => errors.push(error),
      })
      await wait()
      expect(connection.status).toBe('refused')
    }
  })

  it.each([429, 500, 503])(
    'tries again after the status %i, with longer and longer pauses',
    async (status) => {
      let requests = 0
      const connection = connectSession('/s?view=1', {
        fetch: async () => {
          requests += 1
          return new Response(null, { status })
        },
      })
      await wait(60_000)
      expect(connection.status).toBe('connecting')
      expect(requests).toBeGreaterThan(10)
      expect(requests).toBeLessThan(20)
      connection.close()
    },
  )

  it('asks for a snapshot if a message does not follow the last one', async () => {
    const hub = createSessionHub()
    await hub.publish('s', texts(2))
    const bodies = ['data: {"epoch":"e","seq":7,"event":{}}\n\n', 'data: 5\n\n']
    const urls: string[] = []
    const errors: unknown[] = []
    const connection = connectSession('http://hub.example/s?view=1', {
      fetch: async (url) => {
        urls.push(url)
        const body = bodies.pop()
        if (body === undefined) return hub.fetch(new Request(url))
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
      onError: (error) => errors.push(String(error)),
    })
    await wait()
    expect(connection.store.flush()).toEqual(stateOf(...texts(2)))
    expect(new Set(urls)).toEqual(new Set(['http://hub.example/s?view=1']))
    expect(errors).toHaveLength(2)
    connection.close()
  })

  it('sends headers, which a function may renew, and reads with the given function', async () => {
    const hub = createSessionHub()
    await hub.publish('s', [text(1, 'a')])
    const tokens = ['a', 'b']
    const sent: unknown[] = []
    let isDown = true
    const connection = connectSession('http://hub.example/s', {
      headers: () => ({ authorization: tokens.shift() ?? '' }),
      fetch: async (url, { headers }) => {
        sent.push(headers)
        if (isDown) throw new TypeError('no network')
        return hub.fetch(new Request(url))
      },
      parse: (data) => JSON.parse(data.replaceAll('"content":"a"', '"content":"A"')),
    })
    await wait(0)
    isDown = false
    await wait()
    expect(sent).toEqual([{ authorization: 'a' }, { authorization: 'b' }])
    expect(connection.store.flush()).toEqual(stateOf(text(1, 'A')))
    connection.close()
  })

  it('tries again if a function for the headers gives none, and does not wait for a silent `fetch`', async () => {
    const hub = createSessionHub()
    await hub.publish('s', [text(0)])
    const silence = () => new Promise<never>(() => {})
    const [headers, requests] = [[silence], [silence]]
    const connection = connectSession('http://hub.example/s', {
      silenceMs: 100,
      headers: () => headers.pop()?.() ?? {},
      fetch: (url) => requests.pop()?.() ?? hub.fetch(new Request(url)),
    })
    await wait()
    expect(connection.store.flush()).toEqual(stateOf(text(0)))
    connection.close()
  })

  it('counts a silent connection as lost', async () => {
    const hub = createSessionHub({ heartbeatMs: 1_000_000 })
    const page = new Page(() => hub)
    await wait(50_000)
    expect(page.counts.requests).toBe(2)
    page.connection.close()
    await wait(100_000)
    expect(page.counts.requests).toBe(2)
  })

  it('says what is wrong with an address', () => {
    const url: unknown = 5
    expect(() => Reflect.apply(connectSession, undefined, [url])).toThrow('url: pass')
  })
})

// Each tab of a dashboard held two connections: the fourth tab stayed empty.
it('takes the icon of a page for no session', async () => {
  expect((await createSessionHub().fetch(new Request('http://hub.example/favicon.ico'))).status).toBe(404)
})

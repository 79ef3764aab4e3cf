import { appendFile, mkdir, rm, rmdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ListLine } from '../../../src/cli/serve/machine/listed-session.ts'
import { FollowedSessions } from '../../../src/cli/serve/machine/machine.ts'
import { type ServedSession, serveMachine } from '../../../src/cli/serve/serve-session.ts'
import { listSessions, type SessionSummary } from '../../../src/entries/node.ts'
import { connectSession } from '../../../src/entries/sync.ts'
import { assistantMessage, endTurn, text, toText, userMessage } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const PAGE = '<!doctype html>'
const HOUR = 3_600_000
const NOW = Date.parse('2026-01-01T12:00:00.000Z')
const EMAIL = 'someone@example.org'

const { inFolder, file } = temporaryFolder()
const projects = join('home', '.claude', 'projects', '-srv-demo')
const home = () => inFolder('home')

/** A session whose last message is of that time. Without an end, nobody has answered the prompt. */
function session(id: string, prompt: string, { at = NOW, ends = true } = {}): string {
  const facts = { sessionId: id, cwd: '/srv/demo', timestamp: new Date(at).toISOString() }
  const answer = assistantMessage(`${id}-m`, text(`Answer of ${id}.`), { uuid: `${id}-a` }, endTurn)
  const lines = [userMessage(prompt, { uuid: `${id}-u` }), ...(ends ? [answer] : [])]
  return toText(lines.map((line) => ({ ...line, ...facts })))
}

beforeAll(async () => {
  await file(join(projects, 'aa1.jsonl'), session('aa1', `Write to ${EMAIL}`, { at: NOW - 5 * HOUR }))
  await file(join(projects, 'aa2.jsonl'), session('aa2', 'New question', { at: NOW - HOUR / 6, ends: false }))
  await file(join(projects, 'aa3.jsonl'), session('aa3', 'Left', { at: NOW - 6 * HOUR, ends: false }))
})

function statusesIn(list: readonly ListLine[]): object {
  return Object.fromEntries(
    list.flatMap((line) =>
      'session' in line && line.session.status ? [[line.session.title, line.session.status]] : [],
    ),
  )
}

async function readLines(response: Response, onLine: (line: ListLine) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) onLine(JSON.parse(text))
  }
}

async function firstSummary(): Promise<SessionSummary> {
  for await (const summary of listSessions({ home: home() })) return summary
  throw new RangeError('no session')
}

describe('the sessions of a machine', () => {
  const servers: { readonly close: () => Promise<void>; readonly stop: AbortController }[] = []
  afterEach(async () => {
    for (const { close, stop } of servers.splice(0)) {
      stop.abort()
      await close()
    }
  })

  async function start(redact?: true): Promise<ServedSession> {
    const stop = new AbortController()
    const options = { page: PAGE, home: home(), redact, signal: stop.signal, now: () => NOW }
    const served = await serveMachine(options)
    servers.push({ close: served.close, stop })
    return served
  }

  const lines = async (path: string, url: string) =>
    (await (await fetch(new URL(path, url))).text())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))

  async function idOf(title: string, url: string): Promise<string> {
    const found = (await lines('../list', url)).find(({ session: each }) => each?.title === title)
    return found?.session.id
  }

  const connect = (id: string, url: string) => connectSession(new URL(`../events/${id}`, url).href)

  it('lists the sessions, newest first, and then the status of each', async () => {
    const { url } = await start()
    const list = await lines('../list', url)
    expect(list.slice(0, 3).map(({ session: { title } }) => title)).toEqual([
      'New question',
      `Write to ${EMAIL}`,
      'Left',
    ])
    expect(list[0]).toEqual({
      session: {
        id: expect.stringMatching(/^[\w-]{22}$/),
        title: 'New question',
        program: 'claude-code',
        cwd: '/srv/demo',
        startedAt: '2026-01-01T11:50:00.000Z',
        updatedAt: '2026-01-01T11:50:00.000Z',
        agents: 0,
      },
    })
    expect(list[3]).toEqual({ phase: 'statuses' })
    expect(list.at(-1)).toEqual({ phase: 'complete' })
    // A turn without an end runs on if its session changed a short time ago.
    expect(statusesIn(list)).toEqual({
      'New question': 'running',
      [`Write to ${EMAIL}`]: 'finished',
      Left: 'interrupted',
    })
    const known = await lines('../list', url)
    expect(statusesIn(known)).toEqual(statusesIn(list))
    expect(known).toContainEqual({
      session: expect.objectContaining({
        title: `Write to ${EMAIL}`,
        lastText: 'Answer of aa1.',
        lastAt: '2026-01-01T07:00:00.000Z',
      }),
    })
  })

  // The list was read once, and nothing moved while its page was open.
  it('sends each change of the list over one connection, and ends with its reader', async () => {
    const { url } = await start()
    const stop = new AbortController()
    const response = await fetch(new URL('../list?live', url), { signal: stop.signal })
    const got: ListLine[] = []
    const reading = readLines(response, (line) => got.push(line))
    await expect.poll(() => got).toContainEqual({ phase: 'complete' })
    const path = await file(join(projects, 'ab1.jsonl'), session('ab1', 'Just now', { at: NOW }))
    const sessions = () => got.flatMap((line) => ('session' in line ? [line.session] : []))
    await expect
      .poll(() => sessions().findLast(({ title }) => title === 'Just now'))
      .toMatchObject({ status: 'finished', lastText: 'Answer of ab1.' })
    await appendFile(path, session('ab1', 'And more', { at: NOW, ends: false }).replaceAll('ab1-', 'ab1-b-'))
    await expect.poll(() => sessions().findLast(({ title }) => title === 'Just now')?.status).toBe('running')
    await rm(path)
    await expect.poll(() => got.some((line) => 'removed' in line)).toBe(true)
    stop.abort()
    await expect(reading).rejects.toThrow()
  })

  it('never names the place of a session', async () => {
    const { url } = await start()
    expect(JSON.stringify(await lines('../list', url))).not.toContain(inFolder('.'))
  })

  it('sends the live events of a session in the list, also before anybody asked for the list', async () => {
    const first = await start()
    const id = await idOf('Left', first.url)
    const { url } = await start()
    const connection = connect(id, url)
    await expect.poll(() => connection.store.flush().blocks.length).toBe(1)
    const more = session('aa3', 'And more', { at: NOW - 6 * HOUR }).replaceAll('aa3-', 'aa3-b-')
    await appendFile(inFolder(join(projects, 'aa3.jsonl')), more)
    await expect.poll(() => connection.store.flush().blocks.length).toBe(3)
    connection.close()
  })

  it('has two readers of a session, and one that comes back', async () => {
    const { url } = await start()
    const id = await idOf('New question', url)
    const readers = [connect(id, url), connect(id, url)]
    for (const { store } of readers) await expect.poll(() => store.flush().blocks.length).toBe(1)
    for (const reader of readers) reader.close()
    const again = connect(id, url)
    await expect.poll(() => again.store.flush().blocks.length).toBe(1)
    again.close()
  })

  it.each([
    '../events/aa1',
    '../events/..%2F..%2Fetc%2Fpasswd',
    `../events/${'x'.repeat(22)}`,
    `../events/${'x'.repeat(22)}/more`,
    '../list/aa1',
    '../search',
    '../search?text=%20',
    '../other',
    'aa1',
  ])('has nothing at %s', async (path) => {
    const { url } = await start()
    expect((await fetch(new URL(path, url))).status).toBe(404)
  })

  it('shows the page at the list, and at each id', async () => {
    const { url } = await start()
    for (const path of ['', await idOf('Left', url)])
      expect(await (await fetch(new URL(path, url))).text()).toBe(PAGE)
    expect((await fetch(new URL('..', url), { redirect: 'manual' })).headers.get('location')).toBe(
      'sessions/',
    )
  })

  it('refuses the list without the token', async () => {
    const { url } = await start()
    for (const path of ['/list', '/wrong/list', '/wrong/events/x', '/wrong/sessions/'])
      expect((await fetch(new URL(path, url))).status).toBe(403)
  })

  it('finds sessions by their texts', async () => {
    const { url } = await start()
    const id = await idOf(`Write to ${EMAIL}`, url)
    expect(await lines('../search?text=answer%20of%20aa1', url)).toEqual([
      {
        ...{ id, context: ['', 'Answer of aa1', '.'] },
        place: { conversationId: 'main', blockId: expect.any(String) },
      },
    ])
    expect(await lines('../search?text=nowhere', url)).toEqual([])
  })

  it('hides addresses from the list, from searches and from sessions', async () => {
    const { url } = await start(true)
    const list = JSON.stringify(await lines('../list', url))
    expect(list).not.toContain(EMAIL)
    expect(await lines(`../search?text=${EMAIL}`, url)).toEqual([])
    const [{ id }] = await lines('../search?text=aa1', url)
    const connection = connect(id, url)
    await expect.poll(() => connection.store.flush().blocks.length).toBe(2)
    expect(JSON.stringify(connection.store.flush())).not.toContain(EMAIL)
    connection.close()
  })

  // The list took a second, the reader went away meanwhile, and the file was followed as long as the server ran.
  it('follows no session whose reader has gone already', async () => {
    const followed = new FollowedSessions({
      redact: undefined,
      signal: new AbortController().signal,
      now: () => NOW,
    })
    const gone = new Request('http://127.0.0.1/t/events/id', { signal: AbortSignal.abort() })
    const missing = { ...(await firstSummary()), path: inFolder('missing.jsonl') }
    await expect(followed.answer(new Request(gone.url), 'id', missing)).rejects.toThrow()
    expect((await followed.answer(gone, 'id', missing)).body).toBeNull()
  })

  it('says so if a session cannot be read any more, also to a reader that comes back', async () => {
    const path = await file(join(projects, 'cc1.jsonl'), session('cc1', 'Spoiled', { at: NOW - 9 * HOUR }))
    const { url } = await start()
    const id = await idOf('Spoiled', url)
    const connection = connect(id, url)
    await expect.poll(() => connection.store.flush().blocks.length).toBe(2)
    await rm(path)
    await mkdir(path)
    await expect.poll(() => connection.status).toBe('ended')
    expect(connection.store.flush().blocks).toHaveLength(2)
    expect((await fetch(new URL(`../events/${id}`, url))).status).toBe(404)
    await rmdir(path)
  })

  it('has no events of a session whose file is gone', async () => {
    const path = await file(join(projects, 'bb1.jsonl'), session('bb1', 'Gone', { at: NOW - 9 * HOUR }))
    await utimes(path, 1, 1)
    const { url } = await start()
    const id = await idOf('Gone', url)
    await rm(path)
    expect((await fetch(new URL(`../events/${id}`, url))).status).toBe(404)
  })
})

it('serves the list without a session', async () => {
  const stop = new AbortController()
  const { code, out } = await agentfold(['serve'], {
    page: PAGE,
    home: home(),
    interruption: () => stop.signal,
    onWrite: () => setImmediate(() => stop.abort()),
  })
  expect(code).toBe(0)
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/sessions\/\n$/)
})

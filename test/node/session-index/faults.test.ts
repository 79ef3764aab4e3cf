import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, rmSync } from 'node:fs'
import { appendFile, chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { openSessionIndex } from '../../../src/entries/node.ts'
import { temporaryFolder } from '../../cli/temporary.ts'
import { modelAnswers, toText, userMessage } from '../../wires/claude/messages.ts'

const { inFolder, file } = temporaryFolder()
const time = '2026-01-01T10:20:30.000Z'
const place = join('.claude', 'projects', 'p')

const session = (id: string, words = 'Tea.') =>
  toText(
    [userMessage('Make tea.'), modelAnswers('m1', words)].map((message, at) => ({
      ...{ uuid: `${id}-${at}`, ...message, timestamp: time },
      ...{ sessionId: id, cwd: '/srv/tea' },
    })),
  )

/** A clock that is ahead: no file is too new for its stamp to count. */
const later = () => Date.now() + 60_000

describe('openSessionIndex', () => {
  it('reads nothing again that has not changed, and a changed session alone', async () => {
    const home = inFolder('same')
    for (const id of ['s1', 's2', 's3']) await file(join('same', place, `${id}.jsonl`), session(id))
    const open = () => openSessionIndex({ home, now: later })
    const first = await open()
    expect(await first.update()).toEqual({ read: 3, removed: 0, isComplete: true })
    first.close()
    const second = await open()
    expect(await second.update()).toMatchObject({ read: 0 })
    await appendFile(inFolder('same', place, 's2.jsonl'), session('s2', 'Coffee.').replaceAll('s2-', 's2-x'))
    expect(await second.update()).toMatchObject({ read: 1 })
    expect((await second.search('coffee')).map((match) => match.session)).toEqual(['s2'])
    second.close()
  })

  // Each link was followed to the end of the longest path: two links took for ever, and one hid the session from a search.
  it('reads a session whose folder of agents has links around itself', async () => {
    const home = inFolder('circles')
    await file(join('circles', place, 's1.jsonl'), session('s1'))
    const agent = session('s1', 'Milk.')
      .replaceAll('"s1-', '"a-')
      .replaceAll('"uuid"', '"agentId":"a","uuid"')
    await file(join('circles', place, 's1', 'subagents', 'agent-a.jsonl'), agent)
    const [folder, aside] = [inFolder('circles', place, 's1', 'subagents'), inFolder('aside')]
    await mkdir(aside)
    for (const [name, target] of Object.entries({ a: '.', b: '.', up: '../..', aside, none: 'none' }))
      await symlink(target, join(folder, name))
    await symlink(folder, join(aside, 'back'))
    const index = await openSessionIndex({ home, now: later })
    expect((await index.search('milk')).map((match) => match.session)).toEqual(['s1'])
    await file(
      'aside/deep/agent-b.jsonl',
      agent.replaceAll('"a"', '"b"').replaceAll('"a-', '"b-').replace('Milk.', 'Sugar.'),
    )
    expect(await index.update()).toMatchObject({ read: 1 })
    expect((await index.search('sugar')).map((match) => match.session)).toEqual(['s1'])
    await index.close()
  })

  it('goes on after an abort', async () => {
    const home = inFolder('stopped')
    for (let at = 0; at < 30; at += 1) await file(join('stopped', place, `s${at}.jsonl`), session(`s${at}`))
    const index = await openSessionIndex({ home, now: later })
    const stop = new AbortController()
    const { read, isComplete } = await index.update({ signal: stop.signal, onProgress: () => stop.abort() })
    expect(isComplete).toBe(false)
    expect(await index.update()).toEqual({ read: 30 - read, removed: 0, isComplete: true })
    expect(await index.sessions()).toHaveLength(30)
    await index.close()
  })

  it('gives a list in parts', async () => {
    const home = inFolder('parts')
    for (const id of ['s1', 's2', 's3']) await file(join('parts', place, `${id}.jsonl`), session(id))
    const index = await openSessionIndex({ home })
    const all = await index.sessions()
    const found: string[] = []
    for (
      let page = await index.sessions({ limit: 1 });
      page[0];
      page = await index.sessions({ limit: 1, after: page[0] })
    )
      found.push(page[0].id)
    expect(found).toEqual(all.map(({ id }) => id))
    const matches = await index.search('tea')
    const [first] = await index.search('tea', { limit: 1 })
    if (!first) throw new Error('no match')
    expect([first, ...(await index.search('tea', { after: first }))]).toEqual(matches)
    const listed: string[] = []
    for await (const { id } of index.sessions()) listed.push(id)
    expect(listed).toEqual(found)
    await index.close()
  })

  it.each([
    ['a folder in its place', async (path: string) => void (await mkdir(path, { recursive: true }))],
    ['another file in its place', (path: string) => writeFile(path, 'no database\n'.repeat(1_000))],
    ['a file in the place of its folder', async (path: string) => writeFile(join(path, '..'), '')],
  ])('answers with %s', async (name, spoil) => {
    const home = inFolder(name)
    await file(join(name, place, 's1.jsonl'), session('s1'))
    const path = join(home, 'cache', 'index.db')
    if (!name.endsWith('folder')) await mkdir(join(home, 'cache'), { recursive: true })
    await spoil(path)
    const index = await openSessionIndex({ home, path })
    expect((await index.sessions()).map(({ id }) => id)).toEqual(['s1'])
    expect(await index.search('tea')).toHaveLength(2)
    expect(await index.stats({ by: 'day' })).toMatchObject([{ key: '2026-01-01', sessions: 1 }])
    await index.close()
  })

  it('answers on a full disk', async () => {
    const home = inFolder('full')
    await file(join('full', place, 's1.jsonl'), session('s1'))
    const index = await openSessionIndex({ home, path: '/dev/full' })
    expect(await index.search('tea')).toHaveLength(2)
    await index.close()
  })

  it.skipIf(process.getuid?.() === 0)('answers in a home that nobody may write to', async () => {
    const home = inFolder('shut')
    await file(join('shut', place, 's1.jsonl'), session('s1'))
    await chmod(home, 0o500)
    const index = await openSessionIndex({ home })
    expect(await index.sessions()).toHaveLength(1)
    await index.close()
    await chmod(home, 0o700)
  })

  it('reads a session again that changed within the step of a clock', async () => {
    const home = inFolder('step')
    const path = await file(join('step', place, 's1.jsonl'), session('s1', 'Tea.'))
    await utimes(path, 100, 100)
    const index = await openSessionIndex({ home })
    expect(await index.search('tea')).toHaveLength(2)
    expect(await index.update()).toMatchObject({ read: 1 })
    await index.close()
  })

  it('writes nothing after it is closed', async () => {
    const home = inFolder('closed')
    for (const id of ['s1', 's2', 's3']) await file(join('closed', place, `${id}.jsonl`), session(id))
    const index = await openSessionIndex({ home })
    const update = index.update()
    await index.close()
    expect((await update).isComplete).toBe(false)
    await rm(home, { recursive: true })
    await expect(index.sessions()).rejects.toThrow('the session index is closed')
    expect(existsSync(home)).toBe(false)
  })

  it('yields a session that changes', async () => {
    const home = inFolder('watched')
    const path = await file(join('watched', place, 's1.jsonl'), session('s1'))
    const index = await openSessionIndex({ home, now: later })
    const stop = new AbortController()
    const changes = index.watch({ signal: stop.signal })[Symbol.asyncIterator]()
    const next = changes.next()
    await index.sessions()
    spawn('sh', [
      '-c',
      `sleep 0.3; printf '%s\\n' '{"type":"ai-title","aiTitle":"New","sessionId":"s1"}' >> '${path}'`,
    ])
    expect((await next).value).toMatchObject({ id: 's1', title: 'New' })
    stop.abort()
    expect((await changes.next()).done).toBe(true)
    await index.close()
  })

  // The list of a program that asks for updates itself lacked each session that such an update had read.
  it('yields a session whose change another update has read, to each reader', async () => {
    const home = inFolder('updated')
    const path = await file(join('updated', place, 's1.jsonl'), session('s1'))
    const index = await openSessionIndex({ home, now: later })
    const stop = new AbortController()
    const open = () => index.watch({ signal: stop.signal })[Symbol.asyncIterator]()
    const readers = [open(), open()]
    const next = readers.map((reader) => reader.next())
    await index.sessions()
    appendFileSync(path, '{"type":"ai-title","aiTitle":"New","sessionId":"s1"}\n')
    await index.update()
    for (const { value } of await Promise.all(next)) expect(value).toMatchObject({ id: 's1', title: 'New' })
    const gone = readers.map((reader) => reader.next())
    rmSync(path)
    await index.update()
    for (const { value } of await Promise.all(gone))
      expect(value).toMatchObject({ id: 's1', isRemoved: true })
    stop.abort()
    await index.close()
  })

  it('yields a session that has changed between a list and the watch', async () => {
    const home = inFolder('between')
    const path = await file(join('between', place, 's1.jsonl'), session('s1'))
    const index = await openSessionIndex({ home, now: later })
    await index.sessions()
    appendFileSync(path, '{"type":"ai-title","aiTitle":"New","sessionId":"s1"}\n')
    const changes = index.watch()[Symbol.asyncIterator]()
    expect((await changes.next()).value).toMatchObject({ id: 's1', title: 'New' })
    await index.close()
  })
})

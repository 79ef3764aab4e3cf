import {
  appendFile,
  type FileHandle,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import type { LoggedEvent, SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { snapshot } from '../../../src/entries/sync.ts'
import { fold } from '../../core/reducer/example.ts'

const event: SessionEvent = { type: 'session:running' }

describe('a log in files', () => {
  let folder = ''
  const logs: SessionLog[] = []
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agentfold-log-'))
  })
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close()
    await rm(folder, { recursive: true })
  })

  function open(): SessionLog {
    const log = createFileLog(folder)
    logs.push(log)
    return log
  }

  /** Returns the path of a file of the only session. */
  async function fileOf(name: string): Promise<string> {
    const [session = ''] = (await readdir(folder)).filter((entry) => entry !== 'lock')
    return join(folder, session, name)
  }

  // 900 pages of one session read the file 900 times for each event, and the next append waited for all of them: a minute.
  it('reads an event once for all readers of its place', async () => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    const readers = Array.from({ length: 3 }, () => log.follow('s', 1)[Symbol.asyncIterator]())
    const nexts = Promise.all(readers.map((reader) => reader.next()))
    await log.append('s', [event, event], { expectedSeq: 1 })
    const [first, ...others] = await nexts
    expect(first?.value).toEqual({ seq: 2, event })
    for (const { value } of others) expect(value).toBe(first?.value)
    const later = await Promise.all(readers.map((reader) => reader.next()))
    expect(later.map(({ value }) => value.seq)).toEqual([3, 3, 3])
    await Promise.all(readers.map((reader) => reader.return?.()))
  })

  it('has everything after it was opened again', async () => {
    const log = open()
    const generation = await log.acquire('s', 'a', { leaseMs: 1 })
    await log.append('s', [event, event], { expectedSeq: 0 })
    await log.saveSnapshot('s', snapshot({ epoch: 's', seq: 1, state: fold(event) }), { trim: true })
    await log.append('s', [event], { expectedSeq: 2 })
    await log.close()
    const again = open()
    expect(await readAll(again, 's', 1)).toEqual([2, 3].map((seq) => ({ seq, event })))
    expect(await again.loadSnapshot('s')).toEqual(snapshot({ epoch: 's', seq: 1, state: fold(event) }))
    await expect.poll(() => again.acquire('s', 'b', { leaseMs: 1 })).toBeGreaterThan(generation ?? 0)
    await expect(readAll(again, 's')).rejects.toMatchObject({ code: 'trimmed', expected: 1 })
  })

  it.each([1, 5, 40])('drops the last append if its line was cut %i bytes before its end', async (cut) => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    await log.append('s', [event, event, event], { expectedSeq: 1 })
    await log.close()
    const path = await fileOf('events.ndjson')
    await truncate(path, (await readFile(path)).length - cut)
    const again = open()
    expect(await readAll(again, 's')).toEqual([{ seq: 1, event }])
    expect(await again.append('s', [event], { expectedSeq: 1 })).toBe(2)
    expect(await readAll(again, 's')).toHaveLength(2)
  })

  it('is empty if the first line was cut', async () => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    await log.close()
    await truncate(await fileOf('events.ndjson'), 10)
    expect(await open().append('s', [event], { expectedSeq: 0 })).toBe(1)
  })

  it('reads lines that are longer than the pieces of a file', async () => {
    const long: SessionEvent = { type: 'session:idle', error: 'x'.repeat(200_000) }
    const log = open()
    await log.append('s', [long], { expectedSeq: 0 })
    await log.append('s', [event], { expectedSeq: 1 })
    await log.append('s', [long], { expectedSeq: 2 })
    await log.close()
    expect(await readAll(open(), 's', 1)).toEqual([
      { seq: 2, event },
      { seq: 3, event: long },
    ])
  })

  it.each([
    ['was lost', [0, 2, 3], { expected: 2, actual: 3 }],
    ['has a wrong place', [0, 2, 1, 3], { expected: 2, actual: 3 }],
  ])('reports a line that %s, and reads no event after the gap', async (_, lines, numbers) => {
    const log = open()
    for (const expectedSeq of [0, 1, 2, 3]) await log.append('s', [event], { expectedSeq })
    await log.close()
    const path = await fileOf('events.ndjson')
    const written = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, lines.map((at) => `${written[at]}\n`).join(''))
    const damaged = open()
    const read: number[] = []
    const reading = (async () => {
      for await (const { seq } of damaged.read('s', 0)) read.push(seq)
    })()
    await expect(reading).rejects.toMatchObject({
      code: 'broken',
      message: expect.stringContaining(path),
      ...numbers,
    })
    expect(read).toEqual(Array.from({ length: numbers.expected - 1 }, (_, at) => at + 1))
  })

  it('ignores a line that came twice, as the line of an append that was refused', async () => {
    const log = open()
    for (const expectedSeq of [0, 1, 2, 3]) await log.append('s', [event], { expectedSeq })
    await log.close()
    const path = await fileOf('events.ndjson')
    const lines = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, [0, 1, 1, 2, 3].map((at) => `${lines[at]}\n`).join(''))
    expect((await readAll(open(), 's')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })

  it('reads the events after a gap for a reader that has those before it', async () => {
    const log = open()
    for (const expectedSeq of [0, 1, 2, 3]) await log.append('s', [event], { expectedSeq })
    await log.close()
    const path = await fileOf('events.ndjson')
    const [first, , third, fourth] = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, `${[first, third, fourth].join('\n')}\n`)
    expect(await readAll(open(), 's', 3)).toEqual([{ seq: 4, event }])
  })

  it('reads on for a reader that is inside of the batch after a gap', async () => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    await log.append('s', [event, event], { expectedSeq: 1 })
    await log.append('s', [event, event], { expectedSeq: 3 })
    await log.close()
    const path = await fileOf('events.ndjson')
    const [first, , third] = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, `${[first, third].join('\n')}\n`)
    const damaged = open()
    for (const afterSeq of [3, 4]) {
      const left = [4, 5].filter((seq) => seq > afterSeq).map((seq) => ({ seq, event }))
      expect(await readAll(damaged, 's', afterSeq)).toEqual(left)
    }
    await expect(readAll(damaged, 's', 2)).rejects.toMatchObject({ code: 'broken' })
  })

  it('says that a file is damaged, and which one', async () => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    await log.append('s', [event], { expectedSeq: 1 })
    await log.saveSnapshot('s', snapshot({ epoch: 's', seq: 1, state: fold(event) }))
    await log.acquire('s', 'a', { leaseMs: 1 })
    await log.close()
    const path = await fileOf('events.ndjson')
    const [first, second] = (await readFile(path, 'utf8')).split('\n')
    const broken = { code: 'broken', message: expect.stringContaining(path) }
    for (const text of [`{"seq":1\n${second}\n`, `{"seq":"1","events":[]}\n${second}\n`, `${first}\n[]\n`]) {
      await writeFile(path, text)
      const damaged = open()
      await expect(readAll(damaged, 's')).rejects.toMatchObject(broken)
      await damaged.close()
    }
    await writeFile(path, `${first}\nnot json\n${second}\n`)
    const damaged = open()
    await expect(readAll(damaged, 's')).rejects.toMatchObject(broken)
    await writeFile(await fileOf('snapshot.json'), '{"seq":')
    await expect(damaged.loadSnapshot('s')).rejects.toMatchObject({ code: 'broken' })
    await damaged.close()
    await writeFile(await fileOf('lease.json'), '{}')
    await expect(open().loadSnapshot('s')).rejects.toMatchObject({ code: 'broken' })
  })

  it.skipIf(process.platform !== 'linux')('takes appends again after the disk was full', async () => {
    const log = open()
    await log.acquire('s', 'a', { leaseMs: 1 })
    const path = await fileOf('events.ndjson')
    await symlink('/dev/full', path)
    await expect(log.append('s', [event], { expectedSeq: 0 })).rejects.toMatchObject({ code: 'ENOSPC' })
    await rm(path)
    expect(await log.append('s', [event], { expectedSeq: 0 })).toBe(1)
    expect(await readAll(log, 's')).toHaveLength(1)
  })

  it.each(['events.ndjson', 'snapshot.json', 'lease.json'])(
    'rejects with the error of the system for %s',
    async (name) => {
      const log = open()
      await log.append('s', [event], { expectedSeq: 0 })
      const path = await fileOf('events.ndjson')
      await log.close()
      const foreign = join(dirname(path), name)
      await rm(foreign, { force: true })
      await mkdir(join(foreign, 'not-empty'), { recursive: true })
      const again = open()
      await expect(again.loadSnapshot('s')).rejects.toMatchObject({ code: 'EISDIR' })
    },
  )

  it('rejects if it cannot take the place of a file, and leaves no part behind', async () => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    const path = await fileOf('lease.json')
    await mkdir(join(path, 'not-empty'), { recursive: true })
    await expect(log.acquire('s', 'a', { leaseMs: 1000 })).rejects.toMatchObject({ code: 'EISDIR' })
    expect((await readdir(dirname(path))).sort()).toEqual(['events.ndjson', 'lease.json', 'session.json'])
  })

  it('gives a released lease to anyone after it was opened again', async () => {
    const log = open()
    const generation = (await log.acquire('s', 'a', { leaseMs: 60_000 })) ?? 0
    await log.release('s', generation)
    await log.close()
    expect(await open().acquire('s', 'b', { leaseMs: 1000 })).toBe(generation + 1)
  })

  it('leaves nothing behind for a session that was only read', async () => {
    const log = open()
    expect(await readAll(log, 's')).toEqual([])
    expect(await log.loadSnapshot('s')).toBeNull()
    expect(await readdir(folder)).toEqual(['lock'])
    await log.close()
    // A released lock stays: the file of that name may be another holder's.
    expect(await readdir(folder)).toEqual(['lock'])
  })

  it('keeps any id within its folder, and ids apart that differ in capitals', async () => {
    const log = open()
    const ids = [
      '../up',
      '/etc/passwd',
      'a'.repeat(5000),
      'A',
      'a',
      '.',
      'con',
      '\u0000',
      '\ud800',
      '\ud801',
      'é',
      'e\u0301',
    ]
    for (const id of ids) await log.append(id, [event], { expectedSeq: 0 })
    const names = (await readdir(folder)).map((name) => name.toLowerCase())
    expect(new Set(names).size).toBe(ids.length + 1)
    for (const id of ids) expect(await readAll(log, id)).toHaveLength(1)
  })

  it('has its folder for itself', async () => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    await expect(open().append('s', [event], { expectedSeq: 1 })).rejects.toMatchObject({ code: 'in-use' })
    await log.close()
    // The lock of a running process, and those that killed processes left behind.
    const other = process.ppid
    await writeFile(join(folder, 'lock'), `${other} ${await startOf(other)}`)
    await expect(readAll(open(), 's')).rejects.toMatchObject({ code: 'in-use' })
    for (const left of [`${process.pid} 1`, `${other} 1`, '999999999 1', '']) {
      await writeFile(join(folder, 'lock'), left)
      const again = open()
      expect(await readAll(again, 's')).toHaveLength(1)
      await again.close()
    }
  })

  it('says that its file is missing, and takes no append that would look like a trim', async () => {
    const log = open()
    await log.append('s', [event, event], { expectedSeq: 0 })
    const path = await fileOf('events.ndjson')
    await rm(path)
    const missing = { code: 'broken', message: expect.stringContaining(path) }
    for (const afterSeq of [0, 1, 2]) await expect(readAll(log, 's', afterSeq)).rejects.toMatchObject(missing)
    await expect(log.append('s', [event], { expectedSeq: 2 })).rejects.toMatchObject(missing)
    await expect(log.append('s', [event], { expectedSeq: 0 })).rejects.toMatchObject(missing)
  })

  it('says that a part of its file is missing', async () => {
    const log = open()
    await log.append('s', [event], { expectedSeq: 0 })
    await log.append('s', [event], { expectedSeq: 1 })
    const path = await fileOf('events.ndjson')
    await truncate(path, (await readFile(path)).length - 5)
    await expect(log.append('s', [event], { expectedSeq: 2 })).rejects.toMatchObject({ code: 'broken' })
  })

  it('goes on after a process was killed between the end of a file and the next file', async () => {
    const log = open()
    await log.append('s', [event, event, event], { expectedSeq: 0 })
    const path = await fileOf('events.ndjson')
    await log.close()
    await appendFile(path, '{"seq":3,"by":"killed","movedAfter":2,"events":[]}\n')
    // A line after the end does not count.
    await appendFile(path, '{"seq":4,"by":"late","events":[{}]}\n')
    const again = open()
    expect(await readAll(again, 's', 2)).toEqual([{ seq: 3, event }])
    await expect(readAll(again, 's')).rejects.toMatchObject({ code: 'trimmed', expected: 2 })
    expect(await again.append('s', [event], { expectedSeq: 3 })).toBe(4)
    expect(await readdir(dirname(path))).toEqual(['events-2.ndjson', 'session.json'])
  })

  it.skipIf(process.platform !== 'linux')(
    'has each new folder on the disk before it confirms an append',
    async () => {
      const synced: string[] = []
      const probe = await openFile(folder, 'r')
      const prototype: FileHandle = Object.getPrototypeOf(probe)
      await probe.close()
      const { sync } = prototype
      prototype.sync = async function (this: FileHandle) {
        synced.push(await readlink(`/proc/self/fd/${this.fd}`))
        return sync.call(this)
      }
      try {
        const log = createFileLog(join(folder, 'new', 'log'))
        logs.push(log)
        await log.append('s', [event], { expectedSeq: 0 })
      } finally {
        prototype.sync = sync
      }
      const [session = ''] = (await readdir(join(folder, 'new', 'log'))).filter((name) => name !== 'lock')
      const path = join(folder, 'new', 'log')
      expect(synced).toEqual(expect.arrayContaining([folder, dirname(path), path, join(path, session)]))
    },
  )

  it('refuses an append that no reader could read, and takes the next one', async () => {
    const log = open()
    const long: SessionEvent = { type: 'session:idle', error: 'x'.repeat(2 ** 27) }
    await expect(log.append('s', [long, long], { expectedSeq: 0 })).rejects.toMatchObject({
      code: 'too-large',
    })
    expect(await log.append('s', [event], { expectedSeq: 0 })).toBe(1)
    expect(await readAll(log, 's')).toEqual([{ seq: 1, event }])
  })

  it('reads on where it was, and from the beginning', async () => {
    const log = open()
    for (let seq = 0; seq < 300; seq += 1) await log.append('s', [event], { expectedSeq: seq })
    for (const afterSeq of [0, 1, 150, 299, 300])
      expect(await readAll(log, 's', afterSeq)).toHaveLength(300 - afterSeq)
    // A line that another process added counts as soon as it is there.
    await appendFile(await fileOf('events.ndjson'), '{"seq":301,"events":[{}]}\n')
    expect(await readAll(log, 's', 299)).toHaveLength(2)
    await expect(log.append('s', [event], { expectedSeq: 300 })).rejects.toMatchObject({ actual: 301 })
  })
})

async function readAll(log: SessionLog, id: string, afterSeq = 0): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for await (const logged of log.read(id, afterSeq)) events.push(logged)
  return events
}

async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.split(') ').at(-1)?.split(' ')[19] ?? ''
}

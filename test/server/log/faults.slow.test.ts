import { once, setMaxListeners } from 'node:events'
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { createRedisLog, type RedisConnection } from '../../../src/entries/redis.ts'
import { restore } from '../../../src/entries/sync.ts'
import { fold } from '../../core/reducer/example.ts'
import { random } from '../../random.ts'
import { within } from './faults/deadline.ts'
import { eventsOf } from './faults/events.ts'
import { Fleet } from './faults/fleet.ts'
import { buildChild, type ChildTask, kill, startChild } from './faults/processes.ts'
import { produce } from './faults/producer.ts'
import { startProxy, type TcpProxy } from './faults/proxy.ts'
import { read } from './faults/reader.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from './faults/redis-server.ts'
import { report } from './faults/report.ts'

/** `SEED` tries other moments. */
const SEED = Number(process.env.SEED ?? 1)
/** Each wait ends after that many milliseconds, and names its reason. */
const LIMIT = 60_000
const COUNT = 300
/** So many processes that append to a log in files are killed. */
const KILLS = 6

let program = ''
beforeAll(async () => {
  program = await buildChild()
})
afterAll(() => rm(program))

describe.skipIf(skipReason)(`many processes with one Redis ${skipReason ?? ''}`, () => {
  let server: RedisServer
  let proxy: TcpProxy
  const clients: RedisConnection[] = []
  beforeAll(async () => {
    server = await startRedis()
    proxy = await startProxy(server.port)
  })
  afterAll(async () => {
    for (const client of clients) client.destroy()
    await proxy?.close()
    await server?.stop()
  })

  async function open(url: string): Promise<SessionLog> {
    const client = await connectTo(url)
    clients.push(client)
    return createRedisLog(client, { blockMs: 500 })
  }

  it('end with the state of one process, whatever fails in between', async () => {
    const next = random(SEED)
    const sessions = Array.from({ length: 8 }, (_, at) => ({
      id: `s${at}`,
      events: eventsOf(SEED * 100 + at, COUNT),
    }))
    const fleet = new Fleet(program, {
      url: proxy.url,
      sessions: sessions.map(({ id }) => id),
      leaseMs: 400,
      maxSessions: 5,
    })
    const limit = AbortSignal.timeout(LIMIT)
    setMaxListeners(100, limit)
    const [writers, servers] = [await open(proxy.url), [await open(proxy.url), await open(proxy.url)]]
    try {
      fleet.start(3)
      const readers = servers.flatMap((log) => sessions.map(({ id }) => read(log, id, COUNT, limit)))
      let isProduced = false
      const producing = Promise.all(
        sessions.map(({ id, events }, at) =>
          within(LIMIT, `appends to ${id}`, produce(writers, id, events, random(SEED * 1000 + at))),
        ),
      ).finally(() => {
        isProduced = true
      })
      producing.catch(() => {})
      const faults = { kills: 0, stops: 0, cuts: 0, restarts: 0 }
      // Each fault happens at least once, also where the events are appended at once.
      for (let round = 0; round < 24 && (round < 6 || !isProduced); round += 1) {
        await pause(50 + next() * 200)
        if (round % 8 === 5) {
          await within(LIMIT, 'a restart of Redis', server.restart())
          faults.restarts += 1
        } else if (round % 4 === 2) {
          proxy.cut()
          faults.cuts += 1
        } else if (round % 4 === 3) {
          await fleet.stopAndResume(next)
          faults.stops += 1
        } else {
          await fleet.killOne(next)
          faults.kills += 1
        }
      }
      const produced = await producing
      const own = await open(server.url)
      for (const { id, events } of sessions) {
        await expect
          .poll(async () => (await own.loadSnapshot(id))?.seq, {
            timeout: LIMIT,
            message: `the snapshot of ${id}`,
          })
          .toBe(COUNT)
        expect(restore(await own.loadSnapshot(id)).state).toEqual(fold(...events))
      }
      const results = await within(LIMIT, 'the readers', Promise.all(readers.map(({ done }) => done)))
      for (const [at, { state, gaps }] of results.entries()) {
        expect(gaps).toBe(0)
        expect(state).toEqual(fold(...(sessions[at % sessions.length]?.events ?? [])))
      }
      await expect
        .poll(() => fleet.refused, { timeout: LIMIT, message: 'the refused writes' })
        .toBeGreaterThan(0)
      const sum = (name: 'repeated' | 'early' | 'unsure') =>
        produced.reduce((total, each) => total + each[name], 0)
      report({
        ...faults,
        events: COUNT * sessions.length,
        repeated: sum('repeated'),
        early: sum('early'),
        unsure: sum('unsure'),
        processes: fleet.started,
        staleWritesRefused: fleet.refused,
        readersThatLoadedASnapshot: results.filter(({ snapshots }) => snapshots > 0).length,
      })
    } finally {
      await within(LIMIT, 'the end of the workers', fleet.end())
    }
  })
})

describe('a log in files', () => {
  it('keeps every event that it has confirmed, however often its process is killed', async () => {
    const next = random(SEED)
    const folder = await mkdtemp(join(tmpdir(), 'agentfold-faults-'))
    const events = eventsOf(SEED, 1500)
    const counts = { kills: KILLS, whileWriting: 0, tornLines: 0 }
    const task: ChildTask = { kind: 'append', folder, seed: SEED, count: events.length }
    const waitAfter = Math.floor(events.length / (KILLS + 1))
    let [confirmed, foundAtEnd] = [0, 0]
    for (let round = 0; round < KILLS; round += 1) {
      const child = startChild(program, { ...task, waitAfter })
      const killAfter = Math.floor(next() * waitAfter)
      let found = 0
      const isReached = new Promise<void>((resolve) => {
        child.on('message', (message: { readonly found: number } | { readonly seq: number }) => {
          if ('found' in message) found = message.found
          else confirmed = message.seq
          if (confirmed >= found + killAfter) resolve()
        })
      })
      const before = confirmed
      await within(LIMIT, `${killAfter} events`, isReached)
      expect(found).toBeGreaterThanOrEqual(before)
      if (confirmed < found + waitAfter) counts.whileWriting += 1
      await kill(child)
      if (next() < 0.5) {
        await appendFile(await fileOf(folder), `{"seq":${confirmed + 1},"events":[{"type":"sess`)
        counts.tornLines += 1
      }
    }
    const last = startChild(program, task)
    last.once('message', (message: { readonly found: number }) => {
      foundAtEnd = message.found
    })
    await within(LIMIT, 'the last process that appends', once(last, 'exit'))
    expect(foundAtEnd).toBeGreaterThanOrEqual(confirmed)
    const log = createFileLog(folder)
    expect(await allOf(log)).toEqual(events)
    await log.close()
    await rm(folder, { recursive: true })
    expect(counts.whileWriting).toBeGreaterThan(0)
    report({ events: events.length, ...counts })
  })

  it.skipIf(process.platform !== 'linux')('goes on after a write that the disk took in part', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agentfold-faults-'))
    const task: ChildTask = { kind: 'append', folder, seed: SEED, count: 500 }
    const ends: (number | null)[] = []
    // A file that may not grow further fails as a full disk does.
    for (const kilobytes of [3, 11, undefined]) {
      const child = startChild(program, task, kilobytes)
      const [code] = await within(LIMIT, 'a process that appends', once(child, 'exit'))
      ends.push(code)
    }
    expect(ends).toEqual([1, 1, 0])
    const log = createFileLog(folder)
    expect(await allOf(log)).toEqual(eventsOf(SEED, 500))
    await log.close()
    await rm(folder, { recursive: true })
  })
})

async function allOf(log: SessionLog): Promise<readonly unknown[]> {
  const events: unknown[] = []
  for await (const { event } of log.read('s', 0)) events.push(event)
  return events
}

async function fileOf(folder: string): Promise<string> {
  const [session = ''] = (await readdir(folder)).filter((name) => name !== 'lock')
  return join(folder, session, 'events.ndjson')
}

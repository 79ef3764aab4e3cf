import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import {
  LogError,
  type LoggedEvent,
  runSessionWorker,
  type SessionLog,
  type WorkerUpdate,
} from '../../../src/entries/log.ts'
import { createRedisLog, type RedisConnection } from '../../../src/entries/redis.ts'
import { restore, snapshot } from '../../../src/entries/sync.ts'
import { fold } from '../../core/reducer/example.ts'
import { startProxy, type TcpProxy } from './faults/proxy.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from './faults/redis-server.ts'

/** The time after which a test gives up, in milliseconds. */
const LIMIT = 20_000

const texts = (count: number, word: string): readonly SessionEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'block:upsert',
    block: { id: `${word}-${at}`, type: 'assistant_text', status: 'complete', content: word },
  }))

const first = texts(5, 'first')
const lost = texts(4, 'lost')

describe.skipIf(skipReason)(`a Redis that loses the last writes ${skipReason ?? ''}`, () => {
  let server: RedisServer
  let proxy: TcpProxy
  const clients: RedisConnection[] = []
  beforeEach(async () => {
    server = await startRedis()
    proxy = await startProxy(server.port)
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy()
    await proxy?.close()
    await server?.stop()
  })

  async function open(url: string): Promise<SessionLog> {
    const client = await connectTo(url)
    clients.push(client)
    return createRedisLog(client, { blockMs: 500 })
  }

  /** Appends events of which the server loses the last four. */
  async function append(log: SessionLog): Promise<void> {
    await log.append('s', first, { expectedSeq: 0 })
    await server.keepCopy()
    await log.append('s', lost, { expectedSeq: 5 })
  }

  /** The readers come back when the server has other events in place of the lost ones. */
  async function loseAndReplace(events: readonly SessionEvent[]): Promise<void> {
    proxy.refuse(true)
    await server.restartFromCopy()
    await (await open(server.url)).append('s', events, { expectedSeq: 5 })
    proxy.refuse(false)
  }

  it('ends a follower that has read events after the end, and refuses a reader and a producer', async () => {
    const log = await open(proxy.url)
    const follower = follow(log, 0)
    await append(log)
    await expect.poll(() => follower.seen.length, { timeout: LIMIT }).toBe(9)
    await server.restartFromCopy()
    const numbers = { expected: 5, actual: 9 }
    await expect(follower.done).rejects.toMatchObject({ code: 'lost-events', ...numbers })
    const later = await open(server.url)
    await expect(follow(later, 9).done).rejects.toMatchObject({ code: 'lost-events', ...numbers })
    const late = later.append('s', texts(1, 'late'), { expectedSeq: 9 })
    await expect(late).rejects.toMatchObject({ code: 'wrong-seq', expected: 9, actual: 5 })
    expect(await later.append('s', lost, { expectedSeq: 5 })).toBe(9)
  })

  it.each([4, 12])('ends a follower that comes back when the log has %i other events', async (count) => {
    const follower = follow(await open(proxy.url), 0)
    await append(await open(server.url))
    await expect.poll(() => follower.seen.length, { timeout: LIMIT }).toBe(9)
    await loseAndReplace(texts(count, 'other'))
    await expect(follower.done).rejects.toMatchObject({ code: 'lost-events', expected: 5 + count, actual: 9 })
    expect(follower.seen.map(({ event }) => event)).toEqual([...first, ...lost])
  })

  it('refuses a reader and a snapshot with the digest of a lost event', async () => {
    const follower = follow(await open(proxy.url), 0)
    await append(await open(server.url))
    await expect.poll(() => follower.seen.length, { timeout: LIMIT }).toBe(9)
    await loseAndReplace(texts(12, 'other'))
    const log = await open(server.url)
    const { digest = '' } = follower.seen[8] ?? {}
    const numbers = { code: 'lost-events', expected: 17, actual: 9 }
    await expect(log.read('s', 9, { digest })[Symbol.asyncIterator]().next()).rejects.toMatchObject(numbers)
    await expect(follow(log, 9, digest).done).rejects.toMatchObject(numbers)
    const stale = snapshot({ epoch: 's', seq: 9, digest, state: fold(...first, ...lost) })
    await expect(log.saveSnapshot('s', stale, { trim: true })).rejects.toMatchObject(numbers)
    expect(await log.loadSnapshot('s')).toBeNull()
    const kept = log.read('s', 5, { digest: follower.seen[4]?.digest ?? '' })[Symbol.asyncIterator]()
    expect(await kept.next()).toMatchObject({ value: { seq: 6, event: texts(1, 'other')[0] } })
    const fresh = await log.read('s', 8)[Symbol.asyncIterator]().next()
    expect(fresh.value?.digest).not.toBe(digest)
  })

  /** Reads the last event back. */
  async function digestOf(log: SessionLog, seq: number): Promise<string> {
    const { value } = await log
      .read('s', seq - 1)
      [Symbol.asyncIterator]()
      .next()
    return value?.digest ?? ''
  }

  it('binds the snapshot and the next append of a producer to its own events', async () => {
    const producer = await open(proxy.url)
    const kept = await digestOf(producer, await producer.append('s', first, { expectedSeq: 0 }))
    await server.keepCopy()
    const seq = await producer.append('s', lost, { expectedSeq: 5, digest: kept })
    const digest = await digestOf(producer, seq)
    await loseAndReplace(texts(4, 'other'))
    const log = await open(server.url)
    const numbers = { code: 'lost-events', expected: 9, actual: 9 }
    await expect(log.append('s', texts(1, 'late'), { expectedSeq: seq, digest })).rejects.toMatchObject(
      numbers,
    )
    const stale = snapshot({ epoch: 's', seq, digest, state: fold(...first, ...lost) })
    await expect(log.saveSnapshot('s', stale)).rejects.toMatchObject(numbers)
    const last = await digestOf(log, 9)
    expect(await log.append('s', texts(1, 'own'), { expectedSeq: 9, digest: last })).toBe(10)
  })

  it('lets a follower go on that has read none of the lost events', async () => {
    const follower = follow(await open(proxy.url), 0)
    const log = await open(server.url)
    await log.append('s', first, { expectedSeq: 0 })
    await expect.poll(() => follower.seen.length, { timeout: LIMIT }).toBe(5)
    proxy.refuse(true)
    await server.keepCopy()
    await log.append('s', lost, { expectedSeq: 5 })
    const other = texts(2, 'other')
    await loseAndReplace(other)
    await expect.poll(() => follower.seen.length, { timeout: LIMIT }).toBe(7)
    expect(follower.seen.map(({ event }) => event)).toEqual([...first, ...other])
  })

  it('makes a worker fold the session again from the last snapshot that is left', async () => {
    const log = await open(proxy.url)
    const stop = new AbortController()
    const updates: WorkerUpdate[] = []
    const working = runSessionWorker(log, {
      owner: 'worker',
      sessions: ['s'],
      leaseMs: 3000,
      signal: stop.signal,
      onState: (update) => void updates.push(update),
    })
    await append(await open(server.url))
    await expect.poll(() => updates.at(-1)?.seq, { timeout: LIMIT }).toBe(9)
    const other = texts(3, 'other')
    await loseAndReplace(other)
    await expect.poll(() => updates.at(-1)?.seq, { timeout: LIMIT }).toBe(8)
    stop.abort()
    await working
    expect(updates.at(-1)?.state).toEqual(fold(...first, ...other))
    expect(restore(await log.loadSnapshot('s'))).toMatchObject({ seq: 8, state: fold(...first, ...other) })
  })

  it('gives no generation twice', async () => {
    const log = await open(proxy.url)
    await server.keepCopy()
    const before = await log.acquire('s', 'a', { leaseMs: 60_000 })
    await server.restartFromCopy()
    const later = await open(server.url)
    const after = await later.acquire('s', 'b', { leaseMs: 60_000 })
    expect(after).toBeGreaterThan(before ?? 0)
    const write = later.append('s', first, { expectedSeq: 0, generation: before ?? 0 })
    await expect(write).rejects.toBeInstanceOf(LogError)
  })
})

function follow(log: SessionLog, afterSeq: number, digest?: string) {
  const seen: LoggedEvent[] = []
  const run = async (): Promise<void> => {
    const options = { signal: AbortSignal.timeout(LIMIT), ...(digest === undefined ? {} : { digest }) }
    for await (const logged of log.follow('s', afterSeq, options)) seen.push(logged)
  }
  const done = run()
  done.catch(() => {})
  return { seen, done }
}

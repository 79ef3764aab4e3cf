import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'redis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { runSessionWorker, type SessionLog, type WorkerUpdate } from '../../../src/entries/log.ts'
import { createRedisLog } from '../../../src/entries/redis.ts'
import { within } from './faults/deadline.ts'
import { type RedisServer, skipReason, startRedis } from './faults/redis-server.ts'

/** The options of docs/redis-logs.md. */
const DOCUMENTED = `
  socket: { socketTimeout: 8000, reconnectStrategy: (tries) => Math.min(50 * tries, 2000) },
  pingInterval: 2000,
  commandOptions: { timeout: 5000 },
`
const SOCKET_TIMEOUT = 8000

type Options = Parameters<typeof createClient>[0]

/** A client writes to its options, so each one has its own. */
function documented(): Options {
  return {
    socket: { socketTimeout: SOCKET_TIMEOUT, reconnectStrategy: (tries) => Math.min(50 * tries, 2000) },
    pingInterval: 2000,
    commandOptions: { timeout: 5000 },
  }
}

const clientOptions: readonly [string, () => Options][] = [
  ['no options', () => ({})],
  ['the options of the docs', documented],
]

const leaseMs = 500
/** A worker ends within some times of its lease. The limit is longer because the computer may be busy. */
const LIMIT = 30 * leaseMs
const event: SessionEvent = { type: 'session:running' }

describe.skipIf(skipReason)(`a Redis that falls silent ${skipReason ?? ''}`, () => {
  let server: RedisServer
  const clients: { readonly destroy: () => void }[] = []
  beforeEach(async () => {
    server = await startRedis()
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy()
    await server?.stop()
  })

  async function open(options: Options, errors: unknown[] = []) {
    const client = createClient({ url: server.url, ...options })
    clients.push(client)
    await client.on('error', (error) => errors.push(error)).connect()
    return createRedisLog(client)
  }

  it.each(clientOptions)('ends a worker with an error, with %s', async (_, optionsOf) => {
    const worker = await start(await open(optionsOf()))
    server.freeze(true)
    await within(LIMIT, 'the end of the worker', expect(worker.done).rejects.toThrow(/answer|timeout/i))
  })

  it.each(clientOptions)('lets a worker end that is aborted, with %s', async (_, optionsOf) => {
    const worker = await start(await open(optionsOf()))
    server.freeze(true)
    worker.abort()
    // It could not save its state.
    await within(
      LIMIT,
      'the end of the worker',
      expect(worker.done).rejects.toMatchObject({ code: 'silent' }),
    )
  })

  it('lets a worker end that is aborted while it waits for its session', async () => {
    const log = await open({})
    server.freeze(true)
    const stop = new AbortController()
    const done = runSessionWorker(log, { owner: 'w', sessions: ['s'], leaseMs, signal: stop.signal })
    await pause(leaseMs / 5)
    stop.abort()
    await within(LIMIT, 'the end of the worker', done)
  })

  it('rejects an append, and takes the next one when it answers again, with the options of the docs', async () => {
    expect(readFileSync('docs/redis-logs.md', 'utf8')).toContain(DOCUMENTED)
    const errors: unknown[] = []
    const log = await open(documented(), errors)
    const stop = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const { seq } of log.follow('s', 0, stop)) seen.push(seq)
    })()
    // A connection that only waits is not cut.
    await pause(SOCKET_TIMEOUT + 1000)
    expect(errors).toEqual([])
    await log.append('s', [event], { expectedSeq: 0 })
    server.freeze(true)
    for (const _ of [1, 2])
      await within(
        20_000,
        'the end of the append',
        expect(log.append('s', [event], { expectedSeq: 1 })).rejects.toThrow(),
      )
    server.freeze(false)
    // The first append may have happened.
    await expect.poll(() => lastSeq(log)).toBeGreaterThan(0)
    const last = await lastSeq(log)
    expect(await log.append('s', [event], { expectedSeq: last })).toBe(last + 1)
    await expect.poll(() => seen.at(-1)).toBe(last + 1)
    stop.abort()
    await following
  })
})

/** Starts a worker, and waits until it has an event that is in no snapshot. */
async function start(log: SessionLog) {
  const stop = new AbortController()
  const updates: WorkerUpdate[] = []
  const onState = (update: WorkerUpdate) => void updates.push(update)
  const options = { owner: 'w', sessions: ['s'], leaseMs, signal: stop.signal, onState }
  const done = runSessionWorker(log, options)
  done.catch(() => {})
  await log.append('s', [event], { expectedSeq: 0 })
  await expect.poll(() => updates.at(-1)?.seq, { interval: 5 }).toBe(1)
  return { done, abort: () => stop.abort() }
}

/** Returns 0 while the server does not answer. */
async function lastSeq(log: SessionLog): Promise<number> {
  let last = 0
  try {
    for await (const { seq } of log.read('s', 0)) last = seq
  } catch {
    return 0
  }
  return last
}

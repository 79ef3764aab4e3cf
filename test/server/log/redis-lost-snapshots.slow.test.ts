import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import { LogError, runSessionWorker, type SessionLog } from '../../../src/entries/log.ts'
import { createRedisLog } from '../../../src/entries/redis.ts'
import { restore } from '../../../src/entries/sync.ts'
import { fold } from '../../core/reducer/example.ts'
import { random } from '../../random.ts'
import { connectTo, type RedisServer, skipReason, startRedis } from './faults/redis-server.ts'
import { report } from './faults/report.ts'

/** `SEED` tries other moments. */
const SEED = Number(process.env.SEED ?? 1)
const ROUNDS = 8
const leaseMs = 300

describe.skipIf(skipReason)(`a Redis that loses writes under a worker ${skipReason ?? ''}`, () => {
  it('never has a snapshot of events that it does not have', async () => {
    const next = random(SEED)
    const server = await startRedis()
    const client = await connectTo(server.url)
    const log = createRedisLog(client, { blockMs: 500 })
    const figures = { rounds: ROUNDS, snapshots: 0, workersThatRejected: 0 }
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = `s${round}`
        if (await loseUnderWorker(server, { log, id, next })) figures.workersThatRejected += 1
        const events: SessionEvent[] = []
        for await (const { event } of log.read(id, 0)) events.push(event)
        const saved = await log.loadSnapshot(id)
        if (!saved) continue
        const { seq, state } = restore(saved)
        expect(state).toEqual(fold(...events.slice(0, seq)))
        figures.snapshots += 1
      }
      expect(figures.snapshots).toBeGreaterThan(0)
      report(figures)
    } finally {
      await log.close()
      client.destroy()
      await server.stop()
    }
  })
})

interface Round {
  readonly log: SessionLog
  readonly id: string
  readonly next: () => number
}

/** The server loses half of the events that a worker has, and gets others in their place. Returns whether the worker rejects. */
async function loseUnderWorker(server: RedisServer, { log, id, next }: Round): Promise<boolean> {
  const client = await connectTo(server.url)
  const own = createRedisLog(client, { blockMs: 500 })
  const stop = new AbortController()
  await log.append(id, texts(50, 'kept', 0), { expectedSeq: 0 })
  const options = { owner: `w-${id}`, sessions: [id], leaseMs, snapshotEvery: 1000, signal: stop.signal }
  const working = runSessionWorker(own, options).then(
    () => false,
    () => true,
  )
  await pause(100)
  await server.keepCopy()
  await log.append(id, texts(50, 'lost', 50), { expectedSeq: 50 })
  await pause(20 + (next() * leaseMs) / 3)
  await server.restartFromCopy()
  await appendAgain(log, id, texts(60, 'other', 50))
  await pause(3 * leaseMs)
  stop.abort()
  const hasRejected = await working
  await own.close()
  client.destroy()
  return hasRejected
}

async function appendAgain(log: SessionLog, id: string, events: readonly SessionEvent[]): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    try {
      await log.append(id, events, { expectedSeq: 50 })
      return
    } catch (error) {
      // An earlier try has happened.
      if (error instanceof LogError) return
      await pause(5)
    }
  }
}

function texts(count: number, word: string, from: number): readonly SessionEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    type: 'block:upsert',
    block: { id: `${word}-${from + at}`, type: 'assistant_text', status: 'complete', content: word },
  }))
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import type { SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { createRedisLog } from '../../../src/entries/redis.ts'
import { restore, snapshot } from '../../../src/entries/sync.ts'
import { connectTo, startRedis } from '../../server/log/faults/redis-server.ts'
import { heading, table, time } from '../gates.ts'
import { appendAll, batchesOf, count, foldOf, longSession } from './sessions.ts'

const LENGTHS = [1_000, 10_000, 100_000]
/** The events after the snapshot: on average, a worker has saved half of its `snapshotEvery` ago. */
const BEHIND = 100
/** As a worker does it. */
const FOLDED_TOGETHER = 256
const ROUNDS = 3

/** The time until a new process has the state of a session. */
export async function benchRecovery(): Promise<void> {
  heading(`Recovery of a session, whose snapshot is ${BEHIND} events behind`)
  const server = await startRedis()
  const client = await connectTo(server.url)
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-bench-'))
  try {
    const openers: readonly (readonly [string, () => SessionLog])[] = [
      ['Redis', () => createRedisLog(client)],
      ['files', () => createFileLog(folder)],
    ]
    const rows: string[][] = []
    for (const length of LENGTHS)
      for (const [name, open] of openers) rows.push([count(length), name, ...(await timesOf(open, length))])
    table(['events', 'log', 'without a snapshot', 'with a snapshot'], rows)
  } finally {
    client.destroy()
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

async function timesOf(open: () => SessionLog, length: number): Promise<readonly string[]> {
  const events = longSession(length)
  const id = `session of ${length}`
  const log = open()
  await appendAll(log, id, batchesOf(events, 500))
  await log.close()
  const without = await best(() => recover(open(), id, length))
  const place = { epoch: id, seq: length - BEHIND, state: foldOf(events.slice(0, -BEHIND)) }
  const saving = open()
  await saving.saveSnapshot(id, snapshot(place), { trim: true })
  await saving.close()
  const within = await best(() => recover(open(), id, length))
  return [time(without), time(within)]
}

/** Returns the least time of some rounds, in nanoseconds. */
async function best(round: () => Promise<number>): Promise<number> {
  const times: number[] = []
  while (times.length < ROUNDS) times.push(await round())
  return Math.min(...times)
}

/** Returns the time until a new process has the state, in nanoseconds. */
async function recover(log: SessionLog, id: string, length: number): Promise<number> {
  const start = performance.now()
  const saved = await log.loadSnapshot(id)
  let { state, seq } = saved === null ? { state: createInitialConversationState(), seq: 0 } : restore(saved)
  let batch: SessionEvent[] = []
  const fold = (): void => {
    state = reduceSessionEvents(state, batch)
    seq += batch.length
    batch = []
  }
  for await (const { event } of log.read(id, seq)) if (batch.push(event) === FOLDED_TOGETHER) fold()
  fold()
  const ms = performance.now() - start
  await log.close()
  if (seq !== length) throw new Error(`the log has ${seq} of ${length} events`)
  return 1e6 * ms
}

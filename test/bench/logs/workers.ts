import { isDeepStrictEqual } from 'node:util'
import type { SessionEvent } from '../../../src/entries/index.ts'
import type { SessionLog } from '../../../src/entries/log.ts'
import { createRedisLog } from '../../../src/entries/redis.ts'
import { restore } from '../../../src/entries/sync.ts'
import { connectTo, startRedis } from '../../server/log/faults/redis-server.ts'
import { heading, table } from '../gates.ts'
import { appendAll, batchesOf, count, foldOf, longSession } from './sessions.ts'
import { WorkerGroup } from './worker-group.ts'

const SESSIONS = Array.from({ length: 64 }, (_, at) => `session-${at}`)
const EVENTS = 1000
const APPEND = 100

/** The time that a run took, and the producer's part of it. */
interface Run {
  readonly seconds: number
  readonly producerSeconds: number
}

/** Sessions and events a second, in processes that share the sessions by lease. The end of each session is checked. */
export async function benchWorkers(): Promise<void> {
  heading(`${SESSIONS.length} sessions of ${count(EVENTS)} events, folded by worker processes with one Redis`)
  const rows: string[][] = []
  for (const kind of ['stored', 'live'] as const)
    for (const workers of [1, 2, 4]) {
      const { seconds, producerSeconds } = await measure(kind, workers, longSession(EVENTS))
      rows.push([
        kind === 'live' ? `arrive in appends of ${APPEND}` : 'are in the log',
        String(workers),
        (SESSIONS.length / seconds).toFixed(1),
        count((SESSIONS.length * EVENTS) / seconds),
        kind === 'live' ? `${((100 * producerSeconds) / seconds).toFixed(0)} %` : '–',
      ])
    }
  table(
    ['events', 'workers', 'sessions a second', 'events a second', 'part of the time that the producer took'],
    rows,
  )
}

async function measure(
  kind: 'stored' | 'live',
  workers: number,
  events: readonly SessionEvent[],
): Promise<Run> {
  const server = await startRedis({ fsync: 'everysec' })
  const client = await connectTo(server.url)
  const group = new WorkerGroup()
  try {
    const log = createRedisLog(client)
    const maxSessions = Math.ceil(SESSIONS.length / workers)
    for (let each = 0; each < workers; each += 1)
      group.start({
        url: server.url,
        owner: `worker-${each}`,
        sessions: SESSIONS,
        maxSessions,
        count: EVENTS,
      })
    await group.received('connected', workers)
    const run = kind === 'live' ? await foldLive(group, log, events) : await foldStored(group, log, events)
    await group.finish()
    await check(log, events)
    return run
  } finally {
    group.kill()
    client.destroy()
    await server.stop()
  }
}

/** The workers start when the log has all events. */
async function foldStored(
  group: WorkerGroup,
  log: SessionLog,
  events: readonly SessionEvent[],
): Promise<Run> {
  await produce(log, events)
  const seconds = stopwatch()
  group.signal()
  await group.received('folded a session', SESSIONS.length)
  return { seconds: seconds(), producerSeconds: 0 }
}

/** The producer starts when the workers have all sessions. */
async function foldLive(group: WorkerGroup, log: SessionLog, events: readonly SessionEvent[]): Promise<Run> {
  group.signal()
  await group.received('took a session', SESSIONS.length)
  const seconds = stopwatch()
  const folding = group.received('folded a session', SESSIONS.length)
  await produce(log, events)
  const producerSeconds = seconds()
  await folding
  return { seconds: seconds(), producerSeconds }
}

async function produce(log: SessionLog, events: readonly SessionEvent[]): Promise<void> {
  await Promise.all(SESSIONS.map((id) => appendAll(log, id, batchesOf(titled(id, events), APPEND))))
}

/** Sessions that differ: a worker that confuses two of them gives another state. */
function titled(title: string, events: readonly SessionEvent[]): readonly SessionEvent[] {
  const block = { id: 'title', type: 'user_message', status: 'complete', content: title } as const
  return [{ type: 'block:upsert', block }, ...events.slice(1)]
}

async function check(log: SessionLog, events: readonly SessionEvent[]): Promise<void> {
  for (const id of SESSIONS)
    if (!isDeepStrictEqual(restore(await log.loadSnapshot(id)).state, foldOf(titled(id, events))))
      throw new Error(`${id} has another state than the fold of one process`)
}

function stopwatch(): () => number {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}

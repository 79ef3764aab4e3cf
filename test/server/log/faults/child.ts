import process from 'node:process'
import { createClient } from 'redis'
import {
  LogError,
  runSessionWorker,
  type SessionLog,
  type WorkerUpdate,
} from '../../../../src/entries/log.ts'
import { createFileLog } from '../../../../src/entries/node.ts'
import { createRedisLog } from '../../../../src/entries/redis.ts'
import { snapshot } from '../../../../src/entries/sync.ts'
import { eventsOf } from './events.ts'
import type { ChildTask } from './processes.ts'

/** The program of the processes that the tests of faults kill and stop. */
const task: ChildTask = JSON.parse(process.argv[2] ?? '')
process.on('disconnect', () => process.exit(0))
if (task.kind === 'worker') await work(task)
else await append(task)
process.disconnect()

async function work({
  url,
  owner,
  sessions,
  leaseMs,
  maxSessions,
}: ChildTask & { kind: 'worker' }): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: 20 } })
  client.on('error', () => {})
  await client.connect()
  const log = createRedisLog(client)
  const held = new Map<string, WorkerUpdate>()
  const timer = reportStops(log, held, leaseMs)
  try {
    await runSessionWorker(log, {
      owner,
      sessions,
      leaseMs,
      maxSessions,
      snapshotEvery: 20,
      trim: true,
      signal: new AbortController().signal,
      onState: (update) => {
        if (held.size === 0) process.send?.({ isReady: true })
        held.set(update.sessionId, update)
      },
    })
  } finally {
    clearInterval(timer)
    client.destroy()
  }
}

/** After a stop that was longer than a lease, it writes as if it still had its sessions, and reports how that ended. */
function reportStops(
  log: SessionLog,
  held: ReadonlyMap<string, WorkerUpdate>,
  leaseMs: number,
): NodeJS.Timeout {
  let last = Date.now()
  return setInterval(() => {
    const wasStopped = Date.now() - last > leaseMs
    last = Date.now()
    if (!wasStopped) return
    const writes = [...held.values()].map(({ sessionId, generation, state, seq }) =>
      log.saveSnapshot(sessionId, snapshot({ epoch: sessionId, state, seq }), { generation }),
    )
    void Promise.allSettled(writes).then((results) => {
      const refused = results.filter(
        (result) =>
          result.status === 'rejected' &&
          result.reason instanceof LogError &&
          result.reason.code === 'old-generation',
      )
      process.send?.({ refused: refused.length })
    })
  }, 25)
}

/** Appends the rest of a session to a log in files. Reports the number that it found, and each that the log confirms. */
async function append({
  folder,
  seed,
  count,
  waitAfter = count,
}: ChildTask & { kind: 'append' }): Promise<void> {
  const log = createFileLog(folder)
  const events = eventsOf(seed, count)
  let seq = 0
  for await (const logged of log.read('s', 0)) seq = logged.seq
  process.send?.({ found: seq })
  const end = Math.min(count, seq + waitAfter)
  while (seq < end) {
    seq = await log.append('s', events.slice(seq, Math.min(end, seq + 1 + (seq % 5))), { expectedSeq: seq })
    process.send?.({ seq })
  }
  // The channel to the test keeps the process alive.
  if (end < count) await new Promise(() => {})
  await log.close()
}

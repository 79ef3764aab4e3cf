import { once } from 'node:events'
import process from 'node:process'
import { runSessionWorker } from '../../../src/entries/log.ts'
import { createRedisLog } from '../../../src/entries/redis.ts'
import { connectTo } from '../../server/log/faults/redis-server.ts'

/** The task of one worker process. */
export interface WorkerTask {
  readonly url: string
  readonly owner: string
  readonly sessions: readonly string[]
  readonly maxSessions: number
  /** The events of each session at its end. */
  readonly count: number
}

/** The messages of a worker process. */
export type WorkerMessage = 'connected' | 'took a session' | 'folded a session'

/** Works from the parent's first message to its second. */
export async function runWorker({ url, count, ...task }: WorkerTask): Promise<void> {
  const client = await connectTo(url)
  const stop = new AbortController()
  process.once('disconnect', () => stop.abort())
  send('connected')
  await once(process, 'message')
  process.once('message', () => stop.abort())
  await runSessionWorker(createRedisLog(client), {
    ...task,
    leaseMs: 10_000,
    trim: true,
    signal: stop.signal,
    onState: ({ seq }) => {
      if (seq === 0) send('took a session')
      if (seq === count) send('folded a session')
    },
  })
  client.destroy()
  process.disconnect()
}

function send(message: WorkerMessage): void {
  process.send?.(message)
}

import process from 'node:process'
import { runSessionWorker } from 'agentfold/log'
import { createRedisLog } from 'agentfold/redis'
import { createClient } from 'redis'
import { SESSIONS } from './sessions.ts'

/** Folds at most two sessions, so that three workers share them. Another worker takes over if this one is killed. */
export async function runWorker(url: string): Promise<void> {
  const client = await createClient({ url }).on('error', report).connect()
  const stop = new AbortController()
  process.once('disconnect', () => stop.abort())
  await runSessionWorker(createRedisLog(client), {
    owner: `worker-${process.pid}-${Date.now()}`,
    sessions: SESSIONS,
    maxSessions: 2,
    leaseMs: 2000,
    signal: stop.signal,
  })
  client.destroy()
}

function report(error: unknown): void {
  process.stderr.write(`${error}\n`)
}

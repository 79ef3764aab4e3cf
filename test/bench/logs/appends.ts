import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent } from '../../../src/entries/index.ts'
import type { SessionLog } from '../../../src/entries/log.ts'
import { createFileLog } from '../../../src/entries/node.ts'
import { createRedisLog } from '../../../src/entries/redis.ts'
import { connectTo, startRedis } from '../../server/log/faults/redis-server.ts'
import { heading, table, time } from '../gates.ts'
import { count, longSession } from './sessions.ts'

/** How long each row is measured, in milliseconds. */
const ROUND_MS = 1000

/** Appends a second, of one process. */
export async function benchAppends(): Promise<void> {
  heading('Appends of one process')
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-bench-'))
  const files = createFileLog(folder)
  const rows = await rowsOf('files', files)
  await files.close()
  await rm(folder, { recursive: true })
  for (const fsync of ['always', 'everysec'] as const) {
    const server = await startRedis({ fsync })
    const client = await connectTo(server.url)
    rows.push(...(await rowsOf(`Redis, \`appendfsync ${fsync}\``, createRedisLog(client))))
    client.destroy()
    await server.stop()
  }
  table(
    [
      'log',
      'sessions at once',
      'events of an append',
      'appends a second',
      'events a second',
      'an append takes',
    ],
    rows,
  )
}

async function rowsOf(name: string, log: SessionLog): Promise<string[][]> {
  const rows: string[][] = []
  for (const [sessions, length] of [
    [1, 1],
    [1, 20],
    [32, 1],
    [32, 20],
  ] as const) {
    const perSecond = await rateOf(log, `${sessions} ${length}`, sessions, longSession(length))
    const took = time((1e9 * sessions) / perSecond)
    rows.push([name, String(sessions), String(length), count(perSecond), count(perSecond * length), took])
  }
  return rows
}

/** Returns the appends a second of so many sessions, each after the answer to the one before. */
async function rateOf(
  log: SessionLog,
  id: string,
  sessions: number,
  events: readonly SessionEvent[],
): Promise<number> {
  const start = performance.now()
  let appends = 0
  const append = async (session: string): Promise<void> => {
    for (let expectedSeq = 0; performance.now() - start < ROUND_MS; appends += 1)
      expectedSeq = await log.append(session, events, { expectedSeq })
  }
  await Promise.all(Array.from({ length: sessions }, (_, at) => append(`${id} ${at}`)))
  return (1000 * appends) / (performance.now() - start)
}

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { readTranscript } from 'agentfold'
import type { SessionLog } from 'agentfold/log'
import { createRedisLog } from 'agentfold/redis'
import { compactEvents } from 'agentfold/sync'
import { createClient } from 'redis'
import { listen } from '../listen.ts'
import { SESSIONS } from './sessions.ts'

const RECORDING = 'fixtures/claude-code/06-nested-forward/stream.ndjson'

/** Starts Redis, three workers and two web servers, writes sessions to the log, and runs until it is interrupted. */
export async function runFleet(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-fleet-'))
  const children: ChildProcess[] = []
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  try {
    const port = await freePort()
    const url = `redis://127.0.0.1:${port}`
    const options = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--save',
      '',
    ]
    children.push(spawn('redis-server', options, { stdio: ['ignore', 'ignore', 'inherit'] }))
    const client = await createClient({ url, socket: { reconnectStrategy: (tries) => tries < 100 && 50 } })
      .on('error', () => {})
      .connect()
    const log = createRedisLog(client)
    await beginAll(log)
    for (let each = 0; each < 3; each += 1) children.push(start('worker', url))
    const servers = [start('server', url), start('server', url)]
    children.push(...servers)
    for (const server of servers) process.stdout.write(`${(await once(server, 'message'))[0]}\n`)
    await Promise.race([stopped, produceAll(log).then(() => stopped)])
    client.destroy()
  } finally {
    await Promise.all(children.map(end))
    await rm(folder, { recursive: true })
  }
}

function start(role: 'worker' | 'server', url: string): ChildProcess {
  return fork(process.argv[1] ?? '', [role, url])
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/** Begins every session, so that the first page lists them all. */
async function beginAll(log: SessionLog): Promise<void> {
  for (const id of SESSIONS) await log.append(id, [{ type: 'session:running' }], { expectedSeq: 0 })
}

async function produceAll(log: SessionLog): Promise<void> {
  const { events } = readTranscript('claude-sdk', await readFile(RECORDING, 'utf8'))
  await Promise.all(
    SESSIONS.map(async (id) => {
      let seq = 1
      for (let at = 0; at < events.length; at += 10) {
        seq = await log.append(id, compactEvents(events.slice(at, at + 10)), { expectedSeq: seq })
        await pause(20)
      }
    }),
  )
}

async function freePort(): Promise<string> {
  const server = createServer()
  const { port } = new URL(await listen(server))
  server.close()
  await once(server, 'close')
  return port
}

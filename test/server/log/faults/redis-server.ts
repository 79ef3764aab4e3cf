import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'redis'
import type { RedisConnection } from '../../../../src/entries/redis.ts'

const PATHS = ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server']

/** The path of the system's Redis. The variable `REDIS_SERVER` names another path. */
const executablePath = process.env.REDIS_SERVER ?? PATHS.find((path) => existsSync(path))

/** The reason for skipping tests with Redis; undefined if they run. They always run if `CI` is set. */
export const skipReason: string | undefined =
  executablePath !== undefined || process.env.CI
    ? undefined
    : 'SKIPPED, no Redis: install it (apt-get install redis-server) or name it (REDIS_SERVER=/path/to/redis-server)'

/** A Redis server of this test, with a folder of its own. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Kills the server and starts it again with the file that it has written. */
  readonly restart: () => Promise<void>
  /** Keeps a copy of the file that it has written. */
  readonly keepCopy: () => Promise<void>
  /** Kills the server and starts it again with the copy: later writes are lost, as after a fail-over to a replica that is behind. */
  readonly restartFromCopy: () => Promise<void>
  /** Stops the server without a word, as a dead host does, or lets it go on. */
  readonly freeze: (isFrozen: boolean) => void
  readonly stop: () => Promise<void>
}

/** When the server makes the disk keep its append-only file: before each answer, or every second. */
type Fsync = 'always' | 'everysec'

/** Starts a server on a free port of this computer alone. By default each answered write is in its append-only file. */
export async function startRedis({
  fsync = 'always',
}: {
  readonly fsync?: Fsync
} = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let child = run(folder, port, fsync)
  await untilReady(port)
  const kill = async (): Promise<void> => {
    const ended = once(child, 'exit')
    if (child.kill('SIGKILL')) await ended
  }
  const restart = async (): Promise<void> => {
    await kill()
    await start()
  }
  const start = async (): Promise<void> => {
    child = run(folder, port, fsync)
    await untilReady(port)
  }
  const files = join(folder, 'appendonlydir')
  const copy = join(folder, 'copy')
  const keepCopy = (): Promise<void> => cp(files, copy, { recursive: true })
  const restartFromCopy = async (): Promise<void> => {
    await kill()
    await rm(files, { recursive: true })
    await cp(copy, files, { recursive: true })
    await start()
  }
  const stop = async (): Promise<void> => {
    await kill()
    await rm(folder, { recursive: true })
  }
  const freeze = (isFrozen: boolean): void => void child.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT')
  return { port, url, restart, keepCopy, restartFromCopy, freeze, stop }
}

/** Returns a connected client. Its owner destroys it. Errors of the connection are expected: each call has its own. */
export async function connectTo(
  url: string,
  {
    RESP = 3,
    socket,
  }: { readonly RESP?: 2 | 3; readonly socket?: { readonly reconnectStrategy: false } } = {},
): Promise<RedisConnection> {
  const client = createClient({ url, RESP, socket: { reconnectStrategy: 20, ...socket } })
  client.on('error', () => {})
  await client.connect()
  return client
}

function run(folder: string, port: number, fsync: Fsync): ChildProcess {
  if (executablePath === undefined) throw new Error('no Redis: apt-get install redis-server')
  const persistence = ['--appendonly', 'yes', '--appendfsync', fsync, '--save', '']
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...persistence]
  return spawn(executablePath, options, { stdio: 'ignore' })
}

async function untilReady(port: number): Promise<void> {
  const client = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: (tries) => (tries < 400 ? 25 : false) },
  })
  client.on('error', () => {})
  await client.connect()
  // It answers with an error while it loads its file.
  for (let tries = 0; tries < 400 && (await client.ping().catch(() => '')) !== 'PONG'; tries += 1)
    await pause(10)
  client.destroy()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new TypeError('the server has no port')
  return address.port
}

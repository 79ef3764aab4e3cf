import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { vi } from 'vitest'

const DEBIAN = '/usr/lib/postgresql'

/** The folder of the system's Postgres. The variable `POSTGRES_BIN` names another one. */
const programs =
  process.env.POSTGRES_BIN ??
  [
    ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : []),
    ...['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin'],
  ].find((folder) => existsSync(join(folder, 'initdb')))

/** The reason for skipping tests with Postgres; undefined if they run. They always run if `CI` is set. */
export const skipReason: string | undefined =
  programs !== undefined || process.env.CI
    ? undefined
    : 'SKIPPED, no Postgres: install it (apt-get install postgresql) or name it (POSTGRES_BIN=/path/to/bin)'

/** A Postgres server of this test, with a folder and a socket of its own. */
export interface PostgresServer {
  /** Makes an empty database, and returns its address. */
  readonly database: (options?: string) => Promise<string>
  readonly stop: () => Promise<void>
}

/** The server does not run as the administrator. */
const NOBODY = 65_534
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Starts a server that this computer alone reaches. */
export async function startPostgres(): Promise<PostgresServer> {
  if (programs === undefined) throw new Error('no Postgres: apt-get install postgresql')
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-postgres-'))
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const settings = [
    '--no-sync',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--auth',
    'trust',
    '--username',
    'agentfold',
  ]
  await promisify(execFile)(join(programs, 'initdb'), ['--pgdata', data, ...settings], {
    cwd: folder,
    ...user,
  })
  const options = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off']
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
    ...{ cwd: folder, stdio: 'ignore', ...user },
  })
  const addressOf = (database: string) => `postgres://agentfold@${encodeURIComponent(folder)}/${database}`
  await untilReady(addressOf('postgres'), child)
  let count = 0
  return {
    database: async (options = '') => {
      count += 1
      await execute(addressOf('postgres'), `create database test_${count} ${options}`)
      return addressOf(`test_${count}`)
    },
    stop: async () => {
      const ended = once(child, 'exit')
      // It ends at once, and takes its processes with it.
      if (child.kill('SIGQUIT')) await ended
      await rm(folder, { recursive: true, maxRetries: 5 })
    },
  }
}

async function untilReady(address: string, child: ChildProcess): Promise<void> {
  await vi.waitFor(
    async () => {
      // A server that has ended never answers.
      if (child.exitCode === null) await execute(address, 'select 1')
    },
    { timeout: 60_000, interval: 20 },
  )
}

/** Runs a statement, and returns its rows. */
export async function execute(
  address: string,
  statement: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: address })
  try {
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(statement)
    return rows
  } finally {
    await client.end()
  }
}

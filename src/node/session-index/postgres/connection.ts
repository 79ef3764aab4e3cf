import type { Client } from 'pg'
import { SessionIndexError, type SessionIndexErrorCode } from './index-error.ts'

/** A row of an answer. */
type DatabaseRow = Readonly<Record<string, unknown>>

/** Sends a statement, and returns its rows. */
export type Query = (statement: string, values?: readonly unknown[]) => Promise<readonly DatabaseRow[]>

/** In ms. */
const PATIENCE_MS = 10_000

/** A statement of a large index takes seconds. A server that says nothing for so long is gone. In ms. */
const ANSWER_MS = 120_000

/**
 * Whether a text is the address of a Postgres database. A password with a slash, a question mark or a hash ends the host
 * too early. A part of it would be shown as the host or the database, and an `@` is left behind them.
 */
function isPostgresAddress(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false
  const { username, password, host, pathname, search, hash } = new URL(text)
  return !`${pathname}${search}${hash}`.includes('@') && isDecodable(username + password + host + pathname)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** A connection that is made with the first statement, and made anew after it broke. */
export class Connection {
  readonly #address: string
  /** The host, the port and the database. It has no password. */
  #place: string
  #client: Promise<Client> | undefined
  #newest: Client | undefined

  /** Throws a `SessionIndexError` (`wrong-address`). */
  constructor(address: string) {
    if (!isPostgresAddress(address))
      throw new SessionIndexError(
        'wrong-address',
        'use one such as postgres://user@host/database, with the password in PGPASSWORD or percent-encoded',
        'not the address of a Postgres database',
      )
    this.#address = address
    this.#place = placeOf(address)
  }

  get place(): string {
    return this.#place
  }

  readonly query: Query = async (statement, values) => {
    const client = await this.#connected()
    return this.#named(client, () => rowsOf(client, statement, values))
  }

  /** Runs statements that take effect together, or not at all. */
  async transaction<Value>(work: (query: Query) => Promise<Value>): Promise<Value> {
    const client = await this.#connected()
    return this.#named(client, async () => {
      await client.query('begin')
      try {
        const value = await work((statement, values) => rowsOf(client, statement, values))
        await client.query('commit')
        return value
      } catch (error) {
        // After a lost connection there is nothing to take back, and a server that is silent answers nothing more.
        if (reasonOf(error)?.[0] !== 'unreachable') await client.query('rollback').catch(() => {})
        throw error
      }
    })
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    this.#client = undefined
    await client?.end()
  }

  async #connected(): Promise<Client> {
    this.#client ??= this.#connect()
    const made = this.#client
    try {
      return await made
    } catch (error) {
      if (this.#client === made) this.#client = undefined
      throw error
    }
  }

  async #connect(): Promise<Client> {
    const { Client } = await this.#driver()
    const client = new Client({
      ...{ connectionString: this.#address, application_name: 'agentfold' },
      ...{ connectionTimeoutMillis: PATIENCE_MS, query_timeout: ANSWER_MS, keepAlive: true },
    })
    this.#newest = client
    return this.#named(client, async () => {
      const { host, port, database = '' } = client
      this.#place = `postgres://${host.startsWith('/') ? host : `${host}:${port}`}/${database}`
      // A connection that breaks between two statements is made anew.
      client.on('error', () => this.#forget(client))
      await client.connect()
      return client
    })
  }

  async #driver(): Promise<Pick<typeof import('pg'), 'Client'>> {
    try {
      const driver = await import('pg')
      // A bundler may see no names in a package of CommonJS.
      return driver.Client ? driver : driver.default
    } catch (error) {
      if (!isMissingModule(error)) throw error
      const message = 'the package pg is not installed: run npm install pg'
      throw new SessionIndexError('no-driver', message, this.#place, error)
    }
  }

  /** The next statement connects anew. Nobody waits for a connection that broke, and a newer one stays. */
  #forget(client: Client): void {
    if (this.#newest === client) this.#client = undefined
    client.end().catch(() => {})
  }

  /** Names the errors of the network and of the server. */
  async #named<Value>(client: Client, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      const [code, message] = reasonOf(error) ?? []
      if (code === undefined || message === undefined) throw error
      if (code === 'unreachable') this.#forget(client)
      throw new SessionIndexError(code, message, this.#place, error)
    }
  }
}

async function rowsOf(
  client: Client,
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly DatabaseRow[]> {
  const { rows } = await client.query<Record<string, unknown>>(statement, [...values])
  return rows
}

/** Returns an address without the user, the password and the options. */
function placeOf(address: string): string {
  const { host, pathname } = new URL(address)
  return `postgres://${decodeURIComponent(host)}${pathname}`
}

function isMissingModule(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Returns the code and the sentence of an error of the network or of the server. Undefined for a bug. */
function reasonOf(error: unknown): readonly [SessionIndexErrorCode, string] | undefined {
  if (error instanceof SessionIndexError || !(error instanceof Error)) return undefined
  const code = codeOf(error)
  // The server says why in the language of its settings.
  if ('severity' in error)
    return LOST.test(code)
      ? ['unreachable', `the connection broke: ${error.message}`]
      : ['refused', `the server refuses: ${error.message}`]
  if (/^E[A-Z_]+$/.test(code)) return ['unreachable', `no server answers (${code})`]
  if (/^(Connection terminated|timeout expired|Query read timeout|Client |The server )/.test(error.message))
    return ['unreachable', `the connection broke: ${error.message}`]
  return undefined
}

/** The server ends the connection, or starts. */
const LOST = /^(57P|08)/

import { mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Database, SQLiteValue } from 'node-sqlite3-wasm'
import { version } from '../../../package.json'
import { fnv1a } from '../../core/json/checksum.ts'
import type { Entry, EntryHead } from './entry.ts'
import type { SessionDetails } from './session-details.ts'
import { addSum, bytesSum, DamagedIndexError, parseHead, parseJson, rowSum, withSum } from './stored-rows.ts'
import type { TextSignature } from './text-signature.ts'

/** The entries of an index in a database, as far as they are needed at once. */
interface StoredHeads {
  /** Grows with each change of the database. */
  readonly generation: number
  readonly heads: ReadonlyMap<string, EntryHead>
}

/** Changes of an index, and the generation that they were made for. */
interface IndexChanges {
  readonly generation: number
  readonly entries: readonly Entry[]
  readonly removed: readonly string[]
}

/** Grows with each change of what an index keeps. */
const LAYOUT = 1

const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS session (id INTEGER PRIMARY KEY, key TEXT UNIQUE, head TEXT, sums TEXT, checksum INTEGER);
  CREATE TABLE IF NOT EXISTS details (id INTEGER PRIMARY KEY, json TEXT);
  CREATE TABLE IF NOT EXISTS signature (id INTEGER PRIMARY KEY, bits BLOB);
  CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY, json TEXT, savedAt REAL);
`

/** The sessions that grow at the same time. The progress of others is not kept, because it is as large as the session. */
const KEPT_PROGRESS = 32

/** The database of an index. Several processes may use it at once. */
export class IndexStore {
  readonly #path: string
  readonly #database: Database

  private constructor(path: string, database: Database) {
    this.#path = path
    this.#database = database
  }

  /** Returns undefined without the package `node-sqlite3-wasm`. Throws if the system refuses to make the file. */
  static async open(path: string): Promise<IndexStore | undefined> {
    const sqlite = await loadSqlite()
    if (!sqlite) return undefined
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const store = new IndexStore(path, new sqlite.Database(path))
    try {
      await store.#prepare()
      return store
    } catch (error) {
      store.close()
      throw error
    }
  }

  /** Removes the database. */
  static remove(path: string): void {
    for (const each of [path, `${path}-journal`]) rmSync(each, { force: true })
    rmSync(`${path}.lock`, { force: true, recursive: true })
  }

  async #prepare(): Promise<void> {
    await this.#run(() => {
      this.#database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000')
      this.#transaction(() => {
        this.#database.exec(TABLES)
        if (this.#meta('version') === VERSION) return
        for (const table of ['meta', 'session', 'details', 'signature', 'progress'])
          this.#database.exec(`DELETE FROM ${table}`)
        this.#setMeta('version', VERSION)
        this.#setMeta('generation', 0)
        this.#setMeta('total', 0)
      })
    })
  }

  /** Loads the heads, if the database has changed since that generation. */
  async load(known?: number): Promise<StoredHeads | undefined> {
    return this.#run(() =>
      this.#transaction(() => {
        const generation = Number(this.#meta('generation'))
        if (!Number.isSafeInteger(generation)) throw new DamagedIndexError('no generation')
        if (generation === known) return undefined
        const heads = new Map<string, EntryHead>()
        let total = 0
        for (const { key, head, sums, checksum } of this.#database.all(
          'SELECT key, head, sums, checksum FROM session',
        )) {
          if (typeof key !== 'string' || typeof head !== 'string' || typeof sums !== 'string')
            throw new DamagedIndexError('a row without its texts')
          const sum = rowSum(key, head, sums)
          if (sum !== checksum) throw new DamagedIndexError('a row with another checksum')
          total = addSum(total, sum)
          heads.set(key, parseHead(head))
        }
        if (total !== this.#meta('total')) throw new DamagedIndexError('rows are missing')
        return { generation, heads }
      }),
    )
  }

  /** Saves changes and returns the new generation. Undefined if another process has changed the database since. */
  async save({ generation, entries, removed }: IndexChanges): Promise<number | undefined> {
    return this.#run(() =>
      this.#transaction(() => {
        if (this.#meta('generation') !== generation || this.#meta('version') !== VERSION) return undefined
        let total = Number(this.#meta('total'))
        for (const key of removed) total = this.#remove(key, total)
        for (const entry of entries) total = this.#add(entry, this.#remove(entry.key, total))
        this.#database.run(
          'DELETE FROM progress WHERE id NOT IN (SELECT id FROM progress ORDER BY savedAt DESC LIMIT ?)',
          [KEPT_PROGRESS],
        )
        this.#setMeta('total', total)
        this.#setMeta('generation', generation + 1)
        return generation + 1
      }),
    )
  }

  #remove(key: string, total: number): number {
    const row = this.#database.get('SELECT id, checksum FROM session WHERE key = ?', [key])
    if (!row) return total
    for (const table of ['session', 'details', 'signature', 'progress'])
      this.#database.run(`DELETE FROM ${table} WHERE id = ?`, [row.id as number])
    return addSum(total, -Number(row.checksum))
  }

  #add({ details, signature, progress, ...head }: Entry, total: number): number {
    const [text, json] = [JSON.stringify(head), JSON.stringify(details)]
    const sums = `${fnv1a(json) >>> 0} ${bytesSum(signature.bits)}`
    const sum = rowSum(head.key, text, sums)
    const { lastInsertRowid: id } = this.#database.run(
      'INSERT INTO session (key, head, sums, checksum) VALUES (?, ?, ?, ?)',
      [head.key, text, sums, sum],
    )
    this.#database.run('INSERT INTO details VALUES (?, ?)', [id, json])
    this.#database.run('INSERT INTO signature VALUES (?, ?)', [id, signature.bits])
    if (progress)
      this.#database.run('INSERT INTO progress VALUES (?, ?, ?)', [
        id,
        withSum(JSON.stringify(progress)),
        Date.now(),
      ])
    return addSum(total, sum)
  }

  /** Returns the details of all sessions by key. Undefined if the database is of another generation. */
  async details(generation: number): Promise<ReadonlyMap<string, SessionDetails> | undefined> {
    return this.#sideTable(
      generation,
      'SELECT key, sums, json AS value FROM session JOIN details USING (id)',
      0,
      (value) => {
        if (typeof value !== 'string') throw new DamagedIndexError('details without a text')
        return [fnv1a(value) >>> 0, () => parseJson(value) as unknown as SessionDetails]
      },
    )
  }

  /** Returns the signatures of all sessions by key. Undefined if the database is of another generation. */
  async signatures(generation: number): Promise<ReadonlyMap<string, TextSignature> | undefined> {
    return this.#sideTable(
      generation,
      'SELECT key, sums, bits AS value FROM session JOIN signature USING (id)',
      1,
      (value) => {
        if (!(value instanceof Uint8Array)) throw new DamagedIndexError('a signature without bits')
        return [bytesSum(value), () => ({ bits: value })]
      },
    )
  }

  async #sideTable<Value>(
    generation: number,
    sql: string,
    place: number,
    read: (value: SQLiteValue | undefined) => readonly [sum: number, make: () => Value],
  ): Promise<ReadonlyMap<string, Value> | undefined> {
    return this.#run(() =>
      this.#transaction(() => {
        if (this.#meta('generation') !== generation) return undefined
        const found = new Map<string, Value>()
        for (const { key, sums, value } of this.#database.all(sql) as readonly Record<
          string,
          SQLiteValue
        >[]) {
          const [sum, make] = read(value)
          if (`${sums}`.split(' ')[place] !== `${sum}`) throw new DamagedIndexError('another checksum')
          found.set(`${key}`, make())
        }
        return found
      }),
    )
  }

  /** Returns the progress of a session that grows. */
  async progress(key: string): Promise<unknown> {
    return this.#run(() => {
      const row = this.#database.get('SELECT json FROM progress JOIN session USING (id) WHERE key = ?', [key])
      const json = typeof row?.json === 'string' ? row.json.slice(row.json.indexOf('\n') + 1) : undefined
      if (json === undefined) return undefined
      if (withSum(json) !== row?.json) throw new DamagedIndexError('a progress with another checksum')
      return parseJson(json)
    })
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  #meta(name: string): SQLiteValue | undefined {
    return (
      this.#database.get('SELECT value FROM meta WHERE name = ?', [name]) as Record<
        string,
        SQLiteValue
      > | null
    )?.value
  }

  #setMeta(name: string, value: string | number): void {
    this.#database.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', [name, value])
  }

  #transaction<Value>(work: () => Value): Value {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const value = work()
      this.#database.exec('COMMIT')
      return value
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  /** Runs the work, and again while another process has the lock. */
  async #run<Value>(work: () => Value): Promise<Value> {
    const until = performance.now() + PATIENCE_MS
    for (;;)
      try {
        return work()
      } catch (error) {
        if (isDamage(error)) throw new DamagedIndexError('not as it was written', { cause: error })
        if (!isLocked(error) || performance.now() > until) throw error
        removeStaleLock(`${this.#path}.lock`)
        await setTimeout(RETRY_MS)
      }
  }
}

const VERSION = `${LAYOUT} ${version}`

/** In ms. */
const PATIENCE_MS = 3_000
const RETRY_MS = 15

/** In ms. A transaction takes less than a second, so the process that made such a lock is gone. */
const STALE_LOCK_MS = 10_000

/** The lock is a folder, and stays after the end of a process that was killed. */
function removeStaleLock(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || Date.now() - stats.mtimeMs < STALE_LOCK_MS) return
  try {
    rmdirSync(path)
  } catch {
    // Another process has removed it.
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && /locked|busy/i.test(error.message)
}

function isDamage(error: unknown): boolean {
  return (
    error instanceof Error && /malformed|not a database|corrupt|no such (table|column)/i.test(error.message)
  )
}

/** Whether an index can be kept in a file: the package `node-sqlite3-wasm` is installed. */
export async function hasIndexFile(): Promise<boolean> {
  return (await loadSqlite()) !== undefined
}

async function loadSqlite(): Promise<Pick<typeof import('node-sqlite3-wasm'), 'Database'> | undefined> {
  try {
    const sqlite = await import('node-sqlite3-wasm')
    // The package is CommonJS, and Node finds no names in it.
    return 'default' in sqlite ? (sqlite.default as typeof sqlite) : sqlite
  } catch {
    // The package is optional.
    return undefined
  }
}

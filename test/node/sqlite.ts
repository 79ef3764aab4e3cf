import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import initSqlJs, { type BindParams } from 'sql.js'
import { vi } from 'vitest'
import { exported } from './opencode-storage.ts'

const sqlite = await initSqlJs()

/** `node:sqlite` over SQLite in WebAssembly, because Node 20 has no `node:sqlite`. */
class DatabaseSync {
  readonly #database: InstanceType<typeof sqlite.Database>

  constructor(path: string) {
    this.#database = new sqlite.Database(readFileSync(path))
  }

  prepare(sql: string) {
    const statement = this.#database.prepare(sql)
    return {
      all(...parameters: readonly string[]) {
        statement.bind([...parameters])
        const rows: unknown[] = []
        while (statement.step()) rows.push(statement.getAsObject())
        statement.free()
        return rows
      },
    }
  }

  close(): void {
    this.#database.close()
  }
}

/** Runs a test in a Node with `node:sqlite`, or in one without. */
export async function withSqlite(has: boolean, run: () => Promise<void>): Promise<void> {
  const module: unknown = has ? { DatabaseSync } : undefined
  const spy = vi.spyOn(process, 'getBuiltinModule').mockImplementation((() => module) as never)
  try {
    await run()
  } finally {
    spy.mockRestore()
  }
}

const TABLES = `CREATE TABLE session (id text, parent_id text, directory text, title text, version text, cost real,
    time_created integer, time_updated integer, tokens_input integer, tokens_output integer, tokens_reasoning integer);
  CREATE TABLE message (id text, session_id text, time_created integer, data text);
  CREATE TABLE part (id text, message_id text, session_id text, data text);`

/** Writes recordings as OpenCode 1.2 stores them. */
export async function writeDatabase(path: string, names: readonly string[]): Promise<void> {
  const database = new sqlite.Database()
  database.exec(TABLES)
  const insert = (table: string, row: Readonly<Record<string, unknown>>) =>
    database.run(
      `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
        .map(() => '?')
        .join()})`,
      JSON.parse(JSON.stringify(Object.values(row))) as BindParams,
    )
  for (const { info, messages } of names.flatMap(exported)) {
    const { parentID, directory, title, version, cost, time } = JSON.parse(JSON.stringify(info))
    insert('session', {
      id: info.id,
      parent_id: parentID ?? null,
      directory,
      title,
      version,
      cost: cost ?? null,
      time_created: time.created,
      time_updated: time.updated ?? null,
      tokens_input: 10,
      tokens_output: parentID ? null : 5,
      tokens_reasoning: null,
    })
    for (const message of messages) {
      const { id, sessionID, ...data } = JSON.parse(JSON.stringify(message.info))
      insert('message', {
        id,
        session_id: info.id,
        time_created: data.time.created,
        data: JSON.stringify(data),
      })
      for (const part of message.parts) {
        const { id: partId, messageID, sessionID: _, ...rest } = JSON.parse(JSON.stringify(part))
        insert('part', {
          id: partId,
          message_id: messageID,
          session_id: info.id,
          data: JSON.stringify(rest),
        })
      }
    }
  }
  await writeFile(path, database.export())
  database.close()
}

const HERMES_TABLES = `CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, cwd TEXT,
    title TEXT);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT,
    reasoning TEXT, display_kind TEXT, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);`

/** Writes rows as Hermes Agent stores them: those of a recording, whose first row is the session's, and further ones. */
export async function writeRows(
  path: string,
  recording: string,
  further: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<void> {
  const text = readFileSync(
    join(import.meta.dirname, '../../fixtures', recording, 'store/rows.jsonl'),
    'utf8',
  )
  const rows: readonly Readonly<Record<string, unknown>>[] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const database = new sqlite.Database()
  database.exec(HERMES_TABLES)
  for (const row of [...rows, ...further]) {
    const names = Object.keys(row)
    const places = names.map(() => '?').join()
    const table = 'started_at' in row ? 'sessions' : 'messages'
    database.run(
      `INSERT INTO ${table} (${names.join()}) VALUES (${places})`,
      JSON.parse(JSON.stringify(Object.values(row))) as BindParams,
    )
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, database.export())
  database.close()
}

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
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

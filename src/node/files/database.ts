import process from 'node:process'
import { isObject } from '../../core/json/values.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import type { Query } from '../../wires/format.ts'
import { readError } from './read-error.ts'

/** The part of `node:sqlite` that this library uses. */
interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => Database
}

interface Database {
  prepare(sql: string): { all(...parameters: readonly string[]): readonly unknown[] }
  close(): void
}

/** Whether this version of Node has `node:sqlite`: from 22.13 on. */
export function hasDatabaseReader(): boolean {
  return findSqlite() !== undefined
}

/** Opens an SQLite database for reading and runs the work. Throws a `TranscriptError` if the database cannot be read. */
export function withDatabase<Value>(path: string, work: (query: Query) => Value): Value {
  const sqlite = findSqlite()
  if (!sqlite)
    throw new TranscriptError('no-database-reader', `${path}: a database needs Node 22.13 or later`, { path })
  const database = openDatabase(sqlite, path)
  try {
    return work((sql, ...parameters) =>
      database
        .prepare(sql)
        .all(...parameters)
        .filter(isObject),
    )
  } catch (error) {
    throw readError(error, path)
  } finally {
    database.close()
  }
}

function openDatabase({ DatabaseSync }: SqliteModule, path: string): Database {
  try {
    return new DatabaseSync(path, { readOnly: true })
  } catch (error) {
    throw readError(error, path)
  }
}

/** An import would fail in Node 20, and bundlers change the name of the module. */
function findSqlite(): SqliteModule | undefined {
  const getBuiltinModule: unknown = Reflect.get(process, 'getBuiltinModule')
  const found: unknown = typeof getBuiltinModule === 'function' ? getBuiltinModule('node:sqlite') : undefined
  return isSqlite(found) ? found : undefined
}

function isSqlite(value: unknown): value is SqliteModule {
  return typeof value === 'object' && value !== null && 'DatabaseSync' in value
}

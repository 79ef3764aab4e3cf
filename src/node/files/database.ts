import { basename } from 'node:path'
import process from 'node:process'
import { isObject } from '../../core/json/values.ts'
import { programOf } from '../../programs/all.ts'
import type { Architecture } from '../../programs/program.ts'
import { programOfDatabase } from '../../programs/storages.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { allFormats } from '../../wires/all.ts'
import type { Query, SessionDatabase } from '../../wires/format.ts'
import { SEPARATOR } from './database-path.ts'
import { readError } from './read-error.ts'

/** A database, or one session in it. */
interface DatabasePlace {
  readonly architecture: Architecture
  readonly database: SessionDatabase
  /** The program that the name of the database shows. */
  readonly program: string | undefined
  readonly path: string
  readonly sessionId?: string
}

/** Returns the place that a path leads to; undefined for the path of another file. */
export function placeInDatabase(path: string): DatabasePlace | undefined {
  const at = path.lastIndexOf(SEPARATOR)
  const file = path.slice(0, Math.max(at, 0))
  return placeOf(path) ?? withId(placeOf(file), path.slice(at + SEPARATOR.length))
}

/** Returns the place of a database. Its name shows the program, and a database of another name is that of the first format. */
function placeOf(path: string): DatabasePlace | undefined {
  const program = programOfDatabase(basename(path))
  const wire = programOf(program)?.wire
  const known = allFormats().filter(({ storage }) => storage.database?.isDatabase(path))
  const format = known.find(({ name }) => name === wire) ?? known[0]
  const database = format?.storage.database
  return format && database && { architecture: format.name, database, program, path }
}

function withId(place: DatabasePlace | undefined, sessionId: string): DatabasePlace | undefined {
  return place && { ...place, sessionId }
}

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

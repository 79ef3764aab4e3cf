import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { isObject } from '../../core/json/values.ts'
import { absolutePath } from '../../core/state/file-change.ts'
import { programOf } from '../../programs/all.ts'
import type { Architecture, Environment, Program } from '../../programs/program.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { allFormats } from '../../wires/all.ts'
import type { Query, SessionDatabase } from '../../wires/format.ts'
import { programOfDatabase, storageOf } from '../../wires/storages.ts'
import { fileReader } from './file-reader.ts'
import { readError } from './read-error.ts'

/** Separates the path of a database from the id of a session. */
const SEPARATOR = '#'

/** Returns the path of a session in a database: `<path>#<id>`. */
export function databasePath(path: string, sessionId: string): string {
  return `${path}${SEPARATOR}${sessionId}`
}

/** Returns the path of a program's database; undefined if it has none. */
export function databaseOf({ names: [name] }: Program, environment: Environment): string | undefined {
  const database = storageOf(name)?.database
  if (!database) return undefined
  return absolutePath(environment.variables[database.variable] || database.name, database.folder(environment))
}

/** Returns the paths of a program's databases: its own, and those of its channels beside it. A variable names one alone. */
export function databasesOf(program: Program, environment: Environment): readonly string[] {
  const [name] = program.names
  const own = databaseOf(program, environment)
  const database = storageOf(name)?.database
  if (own === undefined || !database || environment.variables[database.variable]) return own ? [own] : []
  const channels = namesBeside(own).filter((each) => programOfDatabase(each) === name)
  return [own, ...channels.map((each) => join(dirname(own), each))]
}

function namesBeside(path: string): readonly string[] {
  try {
    return fileReader.names(dirname(path)).filter((each) => each !== basename(path))
  } catch {
    // Reading the database in an unreadable folder reports the error.
    return []
  }
}

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

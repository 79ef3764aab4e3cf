import { basename, dirname, join } from 'node:path'
import { absolutePath } from '../../core/state/file-path.ts'
import type { Architecture, Environment, Program } from '../../programs/program.ts'
import { programOfDatabase, storageOf } from '../../programs/storages.ts'
import { allFormats } from '../../wires/all.ts'
import type { SessionDatabase } from '../../wires/format.ts'
import { fileReader } from './file-reader.ts'

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
  for (const { name, storage } of allFormats()) {
    const { database } = storage
    if (!database) continue
    const place = { architecture: name, database }
    if (database.isDatabase(path)) return { ...place, program: programOfDatabase(basename(path)), path }
    const file = path.slice(0, Math.max(at, 0))
    if (database.isDatabase(file)) {
      const sessionId = path.slice(at + SEPARATOR.length)
      return { ...place, program: programOfDatabase(basename(file)), path: file, sessionId }
    }
  }
  return undefined
}

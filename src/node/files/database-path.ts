import { basename, dirname, join } from 'node:path'
import { absolutePath } from '../../core/state/file-change.ts'
import type { Environment, Program } from '../../programs/program.ts'
import { programOfDatabase, storageOf } from '../../programs/storages.ts'
import { namesInFolder } from './list-files.ts'

/** Separates the path of a database from the id of a session. */
export const SEPARATOR = '#'

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
    return namesInFolder(dirname(path)).filter((each) => each !== basename(path))
  } catch {
    // Reading the database in an unreadable folder reports the error.
    return []
  }
}

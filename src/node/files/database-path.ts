import type { Architecture } from '../../programs/program.ts'
import { allFormats } from '../../wires/all.ts'
import type { SessionDatabase } from '../../wires/format.ts'

/** Separates the path of a database from the id of a session. */
const SEPARATOR = '#'

/** Returns the path of a session in a database: `<path>#<id>`. */
export function databasePath(path: string, sessionId: string): string {
  return `${path}${SEPARATOR}${sessionId}`
}

/** A database, or one session in it. */
interface DatabasePlace {
  readonly architecture: Architecture
  readonly database: SessionDatabase
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
    if (database.isDatabase(path)) return { ...place, path }
    if (at >= 0 && database.isDatabase(path.slice(0, at)))
      return { ...place, path: path.slice(0, at), sessionId: path.slice(at + SEPARATOR.length) }
  }
  return undefined
}
